/** A time as the search box takes it, in local time: `2026-11-17 03:12:07`. */
export function formatForSearch(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return date.getSeconds() === 0 ? `${day} ${time}` : `${day} ${time}:${two(date.getSeconds())}`;
}
