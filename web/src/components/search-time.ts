/**
 * Formats a time for the search box, in local time: `2026-11-17 03:12:07`. In an hour that the clocks repeat, adds the
 * offset to the second time: the search takes a time without an offset as the first.
 */
export function formatForSearch(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  const text = date.getSeconds() === 0 ? `${day} ${time}` : `${day} ${time}:${two(date.getSeconds())}`;
  if (ms - new Date(text).getTime() < 1_000) return text;
  const minutes = -date.getTimezoneOffset();
  const offset = Math.abs(minutes);
  return `${text}${minutes < 0 ? '-' : '+'}${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
}
