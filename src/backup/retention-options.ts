/** Numbers of backups to keep: the newest ones, and the newest of each of the last days, weeks and months. */
export interface Retention {
  readonly newest: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}
