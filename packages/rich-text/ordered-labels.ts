/** Labels of the items of a numbered list, as browsers show them. */
export class OrderedLabels {
  private number: number;

  /**
   * @param type `1`, `a`, `A`, `i` or `I`; any other value means `1`
   * @param start number of the first item, as text
   */
  constructor(
    private readonly type: string | undefined,
    start: string | undefined,
  ) {
    this.number = /^-?\d{1,8}$/.test(start ?? '') ? Number(start) : 1;
  }

  restartAt(number: number): void {
    this.number = number;
  }

  next(): string {
    const number = this.number++;
    return `${this.write(number)}.`;
  }

  private write(number: number): string {
    if (number < 1 || number > 3_999) return String(number);
    if (this.type === 'a') return toLetters(number);
    if (this.type === 'A') return toLetters(number).toUpperCase();
    if (this.type === 'i') return toRoman(number).toLowerCase();
    return this.type === 'I' ? toRoman(number) : String(number);
  }
}

function toLetters(number: number): string {
  const rest = Math.floor((number - 1) / 26);
  return (rest > 0 ? toLetters(rest) : '') + String.fromCharCode(97 + ((number - 1) % 26));
}

const numerals: readonly (readonly [number, string])[] = [
  [1_000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function toRoman(number: number): string {
  let [rest, text] = [number, ''];
  for (const [value, numeral] of numerals) {
    while (rest >= value) {
      text += numeral;
      rest -= value;
    }
  }
  return text;
}
