/** Returns a file name without direction marks, which could show `gpj.exe` as `exe.jpg`. */
export function shownFileName(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}
