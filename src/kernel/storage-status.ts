export interface StorageStatus {
  readonly engine: string;
  /** Configured servers, without secrets. `state`: `CONNECTED`, or the reason why the server is not in use. */
  readonly servers: readonly { readonly address: string; readonly state: string }[];
  /** `CONNECTED`, or the reason why the storage is unavailable. */
  readonly state: string;
  /** Id of the store, created at the first start and never changed. */
  readonly storeId: string;
}

export interface StorageStatusReader {
  status(): Promise<StorageStatus>;
}
