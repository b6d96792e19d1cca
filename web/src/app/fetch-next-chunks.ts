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
  void i18next.loadNamespaces(['write', 'palette', 'hand-over']);
}
