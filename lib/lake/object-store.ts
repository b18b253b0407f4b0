/** Store of the lake's files: a bucket of S3, or a folder. An object is written once and never changed. */
export interface ObjectStore {
  /** Stores a file under a key; an object is seen whole or not at all. @param sha256 hexadecimal */
  put(key: string, path: string, sha256: string): Promise<void>;
  /** Copies an object to a file. @returns false if there is none. */
  download(key: string, path: string): Promise<boolean>;
  /** Lists the keys that begin with a prefix, which ends with a slash, in all folders below. */
  list(prefix: string): Promise<readonly string[]>;
  /** Deletes an object; an absent one is no error. */
  remove(key: string): Promise<void>;
}
