export interface StorageStatus {
  readonly engine: string;
  readonly address: string;
  /** `CONNECTED`, or the reason why not. */
  readonly state: string;
  /** Made at the first start and never changed: tells one store from another. */
  readonly storeId: string;
}

export interface StatusSource {
  status(): Promise<StorageStatus>;
}
