/** Which engine stores the data, and where. */
export type StorageOptions = {
  /** SQLite and files in a directory, used by this process alone. */
  readonly kind: 'embedded';
  /** Absolute path; created if it does not exist. */
  readonly dataDir: string;
  readonly searchThreads: number;
};
