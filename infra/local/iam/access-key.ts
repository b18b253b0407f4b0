/** The access key id that a function signs with: its name in hexadecimal, since an id has letters and digits only. */
export const accessKeyOf = (functionName: string): string => Buffer.from(functionName).toString("hex");

/** The name of the function that signs with an access key id; of another caller nothing that a function is called. */
export const functionOf = (accessKey: string): string => Buffer.from(accessKey, "hex").toString();
