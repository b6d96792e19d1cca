import i18next from 'i18next';

/** Fetches the code, styles and texts of the most likely next pages, without running the code. */
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
  // Sets the mode in which the module loader requests modules: in any other mode, they would be fetched twice.
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
 * Puts a file into the browser's cache. Returns false on failure. In Firefox, the policy of the page forbids
 * `rel="prefetch"`.
 */
async function fetchAhead(path: string): Promise<boolean> {
  try {
    const response = await fetch(path, { priority: 'low' });
    // A response is cached only once it has been read to its end.
    await response.blob();
    return response.ok;
  } catch {
    return false;
  }
}
