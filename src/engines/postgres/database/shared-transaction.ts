import { type Incarnation, placesPerTransaction } from './incarnation.js';

/** What the writes that share one transaction of the database have in common. */
export class SharedTransaction {
  private places = 0;

  constructor(readonly incarnation: Incarnation) {}

  /** Returns the next place in the change feed within this transaction. */
  nextPlace(): number {
    if (this.places >= placesPerTransaction) throw new Error('one transaction makes too many changes');
    return this.places++;
  }
}
