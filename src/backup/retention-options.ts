/** How many backups are kept: the newest ones, and beside them the newest of each of so many days, weeks and months. */
export interface Retention {
  readonly newest: number;
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}
