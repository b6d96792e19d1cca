/**
 * A time as the search box takes it, in local time: `2026-11-17 03:12:07`. In the hour that clocks show for the second
 * time, with its offset: the search takes a time without one for the first.
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
