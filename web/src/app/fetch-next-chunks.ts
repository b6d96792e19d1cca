import i18next from 'i18next';

/** Fetches the code, styles and texts of the pages that come next. Runs none of it. */
export function fetchNextChunks(): void {
  const files = document.querySelector('meta[name="next-chunks"]')?.getAttribute('content') ?? '';
  for (const file of files.split(' ').filter(Boolean)) {
    const link = document.createElement('link');
    const isStyle = file.endsWith('.css');
    link.rel = isStyle ? 'prefetch' : 'modulepreload';
    if (isStyle) link.as = 'style';
    // As their loader asks for them.
    link.crossOrigin = '';
    link.fetchPriority = 'low';
    link.href = `/${file}`;
    document.head.append(link);
  }
  fetchFont();
  void i18next.loadNamespaces(['write', 'palette', 'hand-over']);
}

/** Fetches the font for the next visit; see `index.html`. */
function fetchFont(): void {
  const href = document.querySelector('meta[name="font"]')?.getAttribute('content');
  if (!href || document.documentElement.dataset.font) return;
  const link = Object.assign(document.createElement('link'), { rel: 'prefetch', as: 'font', crossOrigin: '', href });
  link.addEventListener('load', () => {
    try {
      localStorage.setItem('logbook.font', 'fetched');
    } catch {
      // Storage is switched off: the pages keep the font of the system.
    }
  });
  document.head.append(link);
}
