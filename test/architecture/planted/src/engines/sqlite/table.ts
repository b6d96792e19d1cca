export interface Table {
  readonly name: string;
}
