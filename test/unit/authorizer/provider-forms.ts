import type { JwtSettings } from "../../../lib/authorizer/jwt-settings.ts";

/** A provider's tokens as its documentation shows them, and the settings that accept them. */
export interface ProviderForm {
  /** Provider name as in the settings page. */
  readonly name: string;
  readonly settings: JwtSettings;
  readonly alg: "RS256" | "ES256";
  /** Fields of the token's header beside `alg` and `kid`. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** Id of the user, and the email address to which invitations are sent. */
  readonly subject: string;
  readonly email: string | null;
}

const address = "mia@example.com";
const uuid = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";

export const providerForms: readonly ProviderForm[] = [
  {
    name: "Cognito, ID tokens",
    settings: {
      issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
      jwksUri: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI/.well-known/jwks.json",
      audiences: ["1example23456789"],
      tokenUse: "id",
    },
    alg: "RS256",
    header: {},
    claims: {
      sub: uuid,
      aud: "1example23456789",
      token_use: "id",
      email: address,
      email_verified: true,
      "cognito:username": uuid,
      event_id: "e1",
      auth_time: 1,
    },
    subject: uuid,
    email: address,
  },
  {
    name: "Cognito, access tokens",
    settings: {
      issuer: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI",
      jwksUri: "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI/.well-known/jwks.json",
      audiences: ["1example23456789"],
      audienceClaim: "client_id",
      tokenUse: "access",
    },
    alg: "RS256",
    header: {},
    claims: { sub: uuid, client_id: "1example23456789", token_use: "access", scope: "openid", username: "mia" },
    subject: uuid,
    email: null,
  },
  {
    name: "Auth0",
    settings: {
      issuer: "https://example.eu.auth0.com/",
      jwksUri: "https://example.eu.auth0.com/.well-known/jwks.json",
      audiences: ["https://assay.example.com"],
      emailClaim: "https://example.com/email",
      emailVerifiedClaim: "https://example.com/email_verified",
    },
    alg: "RS256",
    header: { typ: "at+jwt" },
    claims: {
      sub: "auth0|507f1f77bcf86cd799439011",
      aud: ["https://assay.example.com", "https://example.eu.auth0.com/userinfo"],
      azp: "my_client_id",
      scope: "openid profile email",
      "https://example.com/email": address,
      "https://example.com/email_verified": true,
    },
    subject: "auth0|507f1f77bcf86cd799439011",
    email: address,
  },
  {
    name: "Entra ID",
    settings: {
      issuer: "https://login.microsoftonline.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/v2.0",
      jwksUri: "https://login.microsoftonline.com/aaaabbbb-0000-cccc-1111-dddd2222eeee/discovery/v2.0/keys",
      audiences: ["00001111-aaaa-2222-bbbb-3333cccc4444"],
      subjectClaim: "oid",
      emailVerifiedClaim: "xms_edov",
    },
    alg: "RS256",
    header: { typ: "JWT" },
    claims: {
      ver: "2.0",
      sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
      aud: "00001111-aaaa-2222-bbbb-3333cccc4444",
      azp: "11112222-bbbb-3333-cccc-4444dddd5555",
      oid: uuid,
      tid: "aaaabbbb-0000-cccc-1111-dddd2222eeee",
      email: address,
      xms_edov: true,
      preferred_username: address,
      name: "Mia",
    },
    subject: uuid,
    email: address,
  },
  {
    name: "Okta",
    settings: {
      issuer: "https://example.okta.com/oauth2/default",
      jwksUri: "https://example.okta.com/oauth2/default/v1/keys",
      audiences: ["api://default"],
      subjectClaim: "uid",
      emailsVerified: true,
    },
    alg: "RS256",
    header: {},
    claims: {
      ver: 1,
      jti: "AT.1",
      aud: "api://default",
      sub: address,
      uid: "00u1gz4g6kQEGaA3c5d7",
      cid: "0oa1gz4g6kQEGaA3c5d7",
      scp: ["openid"],
      email: address,
    },
    subject: "00u1gz4g6kQEGaA3c5d7",
    email: address,
  },
  {
    name: "Keycloak",
    settings: {
      issuer: "https://keycloak.example.com/realms/agents",
      jwksUri: "https://keycloak.example.com/realms/agents/protocol/openid-connect/certs",
      audiences: ["assay-web"],
      audienceClaim: "azp",
    },
    alg: "RS256",
    header: { typ: "JWT" },
    claims: {
      sub: uuid,
      aud: "account",
      azp: "assay-web",
      typ: "Bearer",
      sid: "s1",
      email: address,
      email_verified: true,
      realm_access: { roles: ["offline_access"] },
    },
    subject: uuid,
    email: address,
  },
  {
    name: "Firebase",
    settings: {
      issuer: "https://securetoken.google.com/my-project",
      jwksUri: "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
      audiences: ["my-project"],
    },
    alg: "RS256",
    header: { typ: "JWT" },
    claims: {
      sub: "ZGVtb1VzZXI",
      aud: "my-project",
      user_id: "ZGVtb1VzZXI",
      auth_time: 1,
      email: address,
      email_verified: true,
      firebase: { sign_in_provider: "google.com", identities: {} },
    },
    subject: "ZGVtb1VzZXI",
    email: address,
  },
  {
    name: "Supabase",
    settings: {
      issuer: "https://abcdefghijklmnopqrst.supabase.co/auth/v1",
      jwksUri: "https://abcdefghijklmnopqrst.supabase.co/auth/v1/.well-known/jwks.json",
      audiences: ["authenticated"],
      emailsVerified: true,
    },
    alg: "ES256",
    header: { typ: "JWT" },
    claims: {
      sub: uuid,
      aud: "authenticated",
      role: "authenticated",
      email: address,
      phone: "",
      is_anonymous: false,
      user_metadata: { email_verified: true },
      session_id: uuid,
    },
    subject: uuid,
    email: address,
  },
  {
    name: "Clerk",
    settings: {
      issuer: "https://example-1.clerk.accounts.dev",
      jwksUri: "https://example-1.clerk.accounts.dev/.well-known/jwks.json",
      audiences: ["https://app.example.com"],
      audienceClaim: "azp",
    },
    alg: "RS256",
    header: { typ: "JWT", cat: "cl_B7d4PD111AAA" },
    claims: {
      sub: "user_2GmJ3Z",
      azp: "https://app.example.com",
      sid: "sess_2GmJ3Z",
      sts: "active",
      v: 2,
      email: address,
      email_verified: true,
    },
    subject: "user_2GmJ3Z",
    email: address,
  },
];
