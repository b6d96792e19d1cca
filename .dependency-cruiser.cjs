/**
 * The directions of the house: cli → app → { http, routes, engines } → rooms → kernel. Type imports count.
 */
const rooms = '(entries|attachments|catalog|templates|search|auth|live|followers|plugins|storage|service)';
const edge = '[.](routes|schema)[.]ts$';
const testFiles = '[.]test[.]ts$';

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
      name: 'kernel-is-a-leaf',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: testFiles },
      to: { path: '^src/(?!kernel/)' },
    },
    {
      name: 'rooms-know-no-transport-and-no-engine',
      comment: 'A room knows no HTTP, no SQL, no configuration; its *.routes.ts and *.schema.ts are the edge.',
      severity: 'error',
      from: { path: `^src/${rooms}/`, pathNot: [edge, testFiles] },
      to: { path: [`^src/(http|engines|config|cli)/`, '^src/(app[.]ts$|composition/)', edge] },
    },
    {
      name: 'the-edge-knows-no-engine',
      severity: 'error',
      from: { path: [`^src/${rooms}/.*${edge}`, '^src/http/'], pathNot: testFiles },
      to: { path: ['^src/(engines|config|cli)/', '^src/(app[.]ts$|composition/)'] },
    },
    {
      name: 'http-knows-no-routes',
      severity: 'error',
      from: { path: '^src/http/', pathNot: testFiles },
      to: { path: edge },
    },
    {
      name: 'engines-know-ports-only',
      comment: 'Nothing of HTTP, configuration or the command line; and no engine knows another.',
      severity: 'error',
      from: { path: '^src/engines/([^/]+)/', pathNot: testFiles },
      to: {
        path: ['^src/(http|config|cli)/', '^src/(app[.]ts$|composition/)', edge, '^src/engines/'],
        pathNot: '^src/engines/$1/',
      },
    },
    {
      name: 'config-stands-alone',
      comment: 'But for the language of searches, which the searches of followers are checked by.',
      severity: 'error',
      from: { path: '^src/config/', pathNot: testFiles },
      to: { path: '^src/(?!config/|kernel/)', pathNot: '^src/search/parse-query[.]ts$' },
    },
    {
      name: 'the-top-is-used-by-nobody-below',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: ['^src/cli/', '^src/main[.]ts$', '^src/app[.]ts$', '^src/composition/', testFiles],
      },
      to: { path: '^src/(app[.]ts$|composition/|main[.]ts$|cli/)' },
    },
    {
      name: 'rooms-reach-no-engine',
      comment: 'Not by a detour either.',
      severity: 'error',
      from: { path: `^src/${rooms}/`, pathNot: testFiles },
      to: { path: '^src/engines/', reachable: true },
    },
    {
      name: 'only-the-edge-knows-fastify',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/http/', '[.]routes[.]ts$', '^src/(app[.]ts$|composition/)', testFiles] },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'only-the-engine-knows-sqlite',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/engines/sqlite/', testFiles] },
      to: { path: ['^(node:)?sqlite$', 'node_modules/@photostructure/sqlite/'] },
    },
    {
      name: 'only-the-directories-know-ldap',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/engines/(ldap|embedded-ldap)/', testFiles] },
      to: { path: 'node_modules/ldapts/' },
    },
    {
      name: 'the-product-uses-no-tests',
      severity: 'error',
      from: { path: '^src/', pathNot: testFiles },
      to: { path: ['^(test|bench)/', testFiles] },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['[.]d[.]ts$', '^src/engines/sqlite/worker[.]ts$'] },
      to: {},
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: { path: '^src/', pathNot: testFiles },
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
