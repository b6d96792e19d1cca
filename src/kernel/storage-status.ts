export interface StorageStatus {
  readonly engine: string;
  /** The servers that are configured, without secrets. `state`: `CONNECTED`, or why it is not in use. */
  readonly servers: readonly { readonly address: string; readonly state: string }[];
  /** `CONNECTED`, or the reason why the storage is unavailable. */
  readonly state: string;
  /** Identifies the store; created at the first start and never changed. */
  readonly storeId: string;
}

export interface StorageStatusReader {
  /** Returns the current status. */
  status(): Promise<StorageStatus>;
}
