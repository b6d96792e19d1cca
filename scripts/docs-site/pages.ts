/** The pages of the site by reader, in reading order; paths without `.md`, below the root of the checkout. */
export const chapters: readonly {
  readonly title: string;
  readonly folder: string;
  readonly pages: readonly string[];
}[] = [
  {
    title: 'Using it',
    folder: 'docs/user',
    pages: ['start', 'web-client', 'writing', 'searching', 'shift-work', 'look-after'],
  },
  {
    title: 'Running it',
    folder: 'docs/operator',
    pages: [
      ...[
        'first-service',
        'sizing',
        'install',
        'packages',
        'ports',
        'configuration',
        'commands',
        'running',
        'monitoring',
        'troubleshooting',
        'tls',
        'sign-in',
      ],
      ...['directories', 'subscribers'],
      ...['backup', 'upgrade', 'moving-in', 'ledger', 'redaction', 'data-directory'],
      ...['cluster-setup', 'cluster', 'object-storage', 'opensearch', 'errors'],
    ],
  },
  {
    title: 'Developing it',
    folder: 'docs/developer',
    pages: [
      ...[
        'architecture',
        'extending',
        'testing',
        'plugins',
        'live',
        'rich-clients',
        'web-client',
        'performance',
        'release',
      ],
    ],
  },
];

/** The page that says what to read. */
export const overview = 'docs/index';

/** Pages at the root of the checkout, after the chapters. */
export const rootPages = ['CONTRIBUTING', 'CONTEXT', 'SECURITY', 'CHANGELOG'];
