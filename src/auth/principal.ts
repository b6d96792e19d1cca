export type Role = 'ADMIN' | 'USER';

/** Who is asking. */
export interface Principal {
  readonly userName: string;
  readonly roles: readonly Role[];
}
