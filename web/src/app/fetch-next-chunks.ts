import i18next from 'i18next';

/** Fetches the code, styles and texts of the pages that come next. Runs none of it. */
export function fetchNextChunks(): void {
  const files = document.querySelector('meta[name="next-chunks"]')?.getAttribute('content') ?? '';
  for (const file of files.split(' ').filter(Boolean)) {
    if (file.endsWith('.css')) void fetchAhead(`/${file}`);
    else preloadModule(`/${file}`);
  }
  void fetchFont();
  void i18next.loadNamespaces(['write', 'palette', 'hand-over']);
}

function preloadModule(href: string): void {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  // As their loader asks for them.
  link.crossOrigin = '';
  link.fetchPriority = 'low';
  link.href = href;
  document.head.append(link);
}

/** Fetches the font for the next visit; see `index.html`. */
async function fetchFont(): Promise<void> {
  const path = document.querySelector('meta[name="font"]')?.getAttribute('content');
  if (!path || document.documentElement.dataset.font || !(await fetchAhead(path))) return;
  try {
    localStorage.setItem('logbook.font', 'fetched');
  } catch {
    // Storage is switched off: the pages keep the font of the system.
  }
}

/**
 * Puts a file into the cache of the browser. Returns false if that failed. Not by `rel="prefetch"`: the policy of the page
 * forbids it in Firefox.
 */
async function fetchAhead(path: string): Promise<boolean> {
  try {
    const response = await fetch(path, { priority: 'low' });
    // A response that is not read to its end is not kept.
    await response.blob();
    return response.ok;
  } catch {
    return false;
  }
}
