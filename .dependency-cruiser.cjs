/**
 * The directions of the house: main → cli → app → { api, engines, integrations, config } → rooms → kernel. Type imports
 * count.
 */
const rooms =
  '(entries|imports|exports|drafts|preferences|attachments|catalog|search|notifications|plugins|auth|backup|ledger)';
const test = '[.]test[.]ts$';

/** Folders of the program that a folder may import, other than itself. */
const only = (folder, mayUse, comment) => ({
  name: folder,
  comment,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: test },
  to: { path: '^src/', pathNot: [`^src/${folder}/`, ...mayUse.map((one) => `^src/${one}`)] },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'What needs each other is one thing, or has a third thing in common.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },

    {
      name: 'packages-apart',
      comment: 'What knows no logbook.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/', pathNot: test },
      to: { path: '^(src|web|test|bench|scripts|plugins|packages)/', pathNot: '^packages/$1/' },
    },

    {
      name: 'packages-in-browsers',
      comment: 'What the browser client has in common with the service.',
      severity: 'error',
      from: { path: '^packages/(markup|rich-text|search-language)/', pathNot: test },
      to: { dependencyTypes: ['core'] },
    },

    // One line a folder, from the ground up.
    only('kernel', [], 'the ground'),
    only('http', ['kernel/'], 'transport; knows no room'),
    only('attachments', ['kernel/']),
    only('catalog', ['kernel/']),
    only('auth', ['kernel/']),
    only('preferences', ['auth/', 'kernel/']),
    only('ledger', ['kernel/'], 'knows digests and records, and no storage'),
    only('backup', ['ledger/', 'kernel/'], 'knows rows and files, and no entry'),
    only('drafts', ['attachments/', 'auth/', 'kernel/']),
    only('entries', ['drafts/', 'attachments/', 'catalog/', 'auth/', 'ledger/', 'kernel/']),
    only('imports', ['entries/', 'attachments/', 'catalog/', 'kernel/']),
    only('exports', ['entries/', 'attachments/', 'catalog/', 'kernel/']),
    only('search', ['entries/', 'auth/', 'kernel/']),
    only('plugins', ['entries/', 'kernel/']),
    only('notifications', ['search/', 'entries/', 'auth/', 'kernel/']),
    only('config', [
      'search/(parse-query|value-filters)[.]ts$',
      'auth/logbook-access[.]ts$',
      'plugins/load-plugins[.]ts$',
      'backup/retention-options[.]ts$',
      '.*-options[.]ts$',
      'kernel/',
    ]),
    only('engines', [`${rooms}/`, 'kernel/'], 'implement the ports of the rooms'),
    only(
      'integrations',
      [
        'auth/.*[.]port[.]ts$',
        'notifications/subscribers/',
        'imports/(.*[.]port|entry-values|json-bounds|zip-reader)[.]ts$',
        'imports/texts/',
        'entries/entry[.]ts$',
        'kernel/',
      ],
      'servers and files of others',
    ),
    only('api', [`${rooms}/`, 'http/', 'kernel/'], 'the interface; knows no engine'),
    only(
      'app',
      [`${rooms}/`, 'api/', 'engines/', 'integrations/', 'config/', 'http/', 'kernel/'],
      'the one place that chooses engines',
    ),
    only('cli', [
      'app/',
      'config/',
      'backup/(data-finding|restore-backup)[.]ts$',
      'ledger/(checkpoint|check-proof)[.]ts$',
      'kernel/',
    ]),
    {
      name: 'main',
      severity: 'error',
      from: { path: '^src/main[.]ts$' },
      to: { path: '^src/', pathNot: '^src/cli/' },
    },

    {
      name: 'engines-apart',
      comment: 'No engine knows another. The folder sql is none: it knows no database.',
      severity: 'error',
      from: { path: '^src/(engines|integrations)/([^/]+)/', pathNot: test },
      to: { path: '^src/(engines|integrations)/[^/]+/', pathNot: ['^src/$1/$2/', '^src/engines/sql/'] },
    },
    {
      name: 'search-index-below-query',
      comment: 'What is stored knows nothing of what is asked.',
      severity: 'error',
      from: { path: '^src/engines/[^/]+/search/index/', pathNot: test },
      to: { path: '^src/engines/[^/]+/search/query/' },
    },
    {
      name: 'rooms-reach-no-engine',
      comment: 'Not by a detour either.',
      severity: 'error',
      from: { path: `^src/${rooms}/`, pathNot: test },
      to: { path: '^src/engines/', reachable: true },
    },

    {
      name: 'web-uses-the-api',
      comment: 'The browser client knows the program by its API alone.',
      severity: 'error',
      from: { path: '^web/' },
      to: {
        path: '^(src|test|bench|scripts|plugins)/',
        pathNot: '^test/fixtures/markup-corpus[.]ts$',
      },
    },
    {
      name: 'program-knows-no-client',
      severity: 'error',
      from: { path: '^(src|plugins)/' },
      to: { path: '^web/' },
    },

    // Packages, each known to few.
    {
      name: 'fastify',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/(http|api|app)/', test] },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'sqlite',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/engines/sqlite/', test] },
      to: { path: ['^(node:)?sqlite$', 'node_modules/@photostructure/sqlite/'] },
    },
    {
      name: 'pg',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/engines/postgres/', test] },
      to: { path: 'node_modules/(pg|@types/pg)/' },
    },
    {
      name: 'aws-sdk',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/engines/s3/', test] },
      to: { path: 'node_modules/(@aws-sdk|@smithy)/' },
    },
    {
      name: 'opensearch',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/engines/opensearch/', test] },
      to: { path: 'node_modules/@opensearch-project/' },
    },
    {
      name: 'opentelemetry',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/integrations/opentelemetry/', test] },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'ldapts',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: ['^src/integrations/ldap/', '^packages/ldap-server/', test] },
      to: { path: 'node_modules/ldapts/' },
    },
    {
      name: 'product-uses-no-tests',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: test },
      to: { path: ['^(test|bench)/', test] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '[.]d[.]ts$',
          '^web/(src/main[.]tsx|src/styles/style-module[.]ts|public/)',
          '^src/engines/sqlite/(workers/worker|database/check-process)[.]ts$',
          '^src/app/(backup/backup|replica-snapshots/snapshot)-process[.]ts$',
          '^src/attachments/extraction-worker[.]ts$',
        ],
      },
      to: {},
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: { path: '^(src|packages)/', pathNot: test },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/architecture/planted/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
