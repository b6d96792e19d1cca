/**
 * A test for a pattern in which `*` stands for any run of characters and `?` for one; the whole text has to match. It
 * goes back to the last `*` alone, so that no text and no pattern make it slow; a regular expression would try every way
 * to share a text among the stars.
 */
export function patternTest(pattern: string): (text: string) => boolean {
  const asked = [...pattern];
  return (text) => {
    const chars = [...text];
    let at = 0;
    let next = 0;
    /** Where the last star is, and how far what it stands for reaches. */
    let star = -1;
    let reach = 0;
    while (at < chars.length) {
      if (asked[next] === '*') {
        star = next;
        reach = at;
        next += 1;
      } else if (next < asked.length && (asked[next] === '?' || asked[next] === chars[at])) {
        next += 1;
        at += 1;
      } else if (star >= 0) {
        reach += 1;
        at = reach;
        next = star + 1;
      } else {
        return false;
      }
    }
    while (asked[next] === '*') next += 1;
    return next === asked.length;
  };
}
