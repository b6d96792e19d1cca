export interface StorageStatus {
  readonly engine: string;
  readonly address: string;
  /** `CONNECTED`, or the reason why the storage is unavailable. */
  readonly state: string;
  /** Identifies the store; created at the first start and never changed. */
  readonly storeId: string;
}

export interface StatusSource {
  /** Returns the current status. */
  status(): Promise<StorageStatus>;
}
