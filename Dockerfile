FROM node:24-bookworm AS tools
# Outside x86-64 the local database needs Java 17 (README).
RUN [ "$(dpkg --print-architecture)" = amd64 ] || \
  (apt-get update && apt-get install --yes --no-install-recommends openjdk-17-jre-headless && rm -rf /var/lib/apt/lists/*)

# Runs the local service, which listens on 127.0.0.1: a container that does not share the host's network cannot publish it.
FROM tools
WORKDIR /assay
RUN chown node:node /assay
USER node
COPY --chown=node:node . .
RUN npm ci && \
  ([ "$(dpkg --print-architecture)" = amd64 ] || npm ci --prefix infra/local/dynamodb/dynamodb-local)
CMD ["npm", "start"]
