/** The name of a file without what turns the direction of text around, which would show `exe.jpg` for `gpj.exe`. */
export function shownFileName(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}
