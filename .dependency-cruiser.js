// The table of permitted dependencies in docs/architecture.md, as rules.
// tests/boundaries/dependencies.test.ts checks them, and that planted violations of each rule are
// found.
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';

/** Files that only tests use; a published package contains none of them. */
const tests = '\\.(test|fixture)\\.tsx?$';
/** The sources of a package, what `tsc -b` makes of them, and what is published as it is written. */
const code = (name) => `^packages/${name}/(src|dist|frameworks)/`;
/** Packages of ours, also unresolved: such an import has its own name as its path. */
const any = (...names) =>
  `^(packages/(${names.join('|')})/|@financing-checkout/(${names.join('|')}))`;
const npm = (...names) => `(^|/node_modules/)(${names.join('|')})(/|$)`;
const core = `^(node:)?(${builtinModules.map((name) => name.replace(/^node:/, '')).join('|')})$`;

/** Files that a package offers under a name, from its `exports`. */
const published = readdirSync(new URL('packages', import.meta.url)).flatMap((folder) => {
  const manifest = new URL(`packages/${folder}/package.json`, import.meta.url);
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  return Object.values(exports)
    .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    .filter((path) => path.endsWith('.js') && !path.includes('*'))
    .map((path) => `packages/${folder}/${path.slice(2)}`.replaceAll('.', '\\.'));
});

/** No way from one to the other, however many modules long. */
const unreachable = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { path: to, reachable: true },
});

/** Nothing but this is imported. */
const only = (name, comment, from, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: tests },
  to: { pathNot: allowed },
});

const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/**
 * Rooms of a package, a line each. A room imports only from the lines above its own, so there is no
 * circle between rooms; the files outside them put the program together.
 */
const rooms = {
  contract: [['money'], ['storefront'], ['back-office'], ['reconciliation']],
  console: [['api', 'locale'], ['parts'], ['pages'], ['shell'], ['main\\.ts']],
  reconciliation: [
    ['platform'],
    ['facts'],
    ['analytics'],
    ['sync', 'imports', 'statuses', 'cases'],
    ['companion', 'queries', 'config'],
    ['periods'],
    ['journals', 'lake'],
    ['migration', 'engine'],
    ['http'],
    ['[a-z]+\\.ts'],
    ['cli'],
  ],
  server: [
    ['platform'],
    ['store'],
    ['keys'],
    ['programmes'],
    ['config'],
    ['service'],
    ['charges'],
    ['checkout'],
    ['webhook', 'notifications', 'fundings', 'prequalification'],
    ['storefront', 'back-office'],
    ['[a-z-]+\\.ts'],
    ['node'],
  ],
  sandbox: [
    ['platform', 'published'],
    ['environments', 'listener', 'state'],
    ['lenders', 'faults'],
    ['checkout'],
    ['charges', 'links'],
    ['fundings', 'notifications'],
    ['service[a-z-]*\\.ts'],
    ['api', 'hosted', 'seed', 'conformance'],
    ['control'],
    ['sandbox[a-z-]*\\.ts'],
    ['cli'],
    ['(?:index|main|supported-node)\\.ts'],
  ],
  widget: [
    ['model'],
    ['events', 'texts'],
    ['platform'],
    ['companion'],
    ['views'],
    ['presentations'],
    ['simulation', 'message'],
    ['flow'],
    ['checkout'],
    ['prequalify'],
    ['development'],
    ['[a-z-]+\\.ts'],
    ['react'],
  ],
};

/** Rooms within a room, as above. */
const innerRooms = {
  'reconciliation/src/imports': [['receive'], ['read'], ['guess', 'compare'], ['keep']],
  'reconciliation/src/queries': [
    ['basis'],
    ['cases', 'search'],
    ['orders'],
    ['money'],
    ['today', 'exports'],
  ],
};

/** Rooms whose inner rooms others enter through their `index.ts`. */
const roomsWithDoors = ['reconciliation/src/imports'];

const allRooms = [
  ...Object.entries(rooms).map(([name, lines]) => [name, `${name}/src`, lines]),
  ...Object.entries(innerRooms).map(([path, lines]) => [path.replace('/src/', '-'), path, lines]),
];

/** Nothing leads from a room to one beside it or below it. */
const upward = allRooms.flatMap(([name, path, lines]) => {
  const inRooms = (names) => `^packages/${path}/(${names.join('|')})(?:/|$)`;
  return lines.slice(0, -1).map((line, index) =>
    never(
      `${name}-rooms-${index + 1}`,
      'What is used does not know its user.',
      { path: inRooms(line), pathNot: tests },
      {
        path: inRooms(lines.slice(index).flat()),
        pathNot: line.some((room) => room.includes('.')) ? inRooms(line) : `^packages/${path}/$1/`,
      },
    ),
  );
});

/** Others import a room within a room by its door. */
const throughDoors = roomsWithDoors.flatMap((path) => {
  const inside = `^packages/${path}/([a-z]+)/`;
  const door = `^packages/${path}/[a-z]+/index\\.ts$`;
  const name = path.replace('/src/', '-');
  const reason = 'A room has one door, which says what others may use.';
  const outside = { path: `^packages/${path.split('/')[0]}/src/`, pathNot: [tests, inside] };
  return [
    never(`${name}-door`, reason, outside, { path: inside, pathNot: door }),
    never(
      `${name}-door-inside`,
      reason,
      { path: inside, pathNot: tests },
      { path: inside, pathNot: [door, `^packages/${path}/$1/`] },
    ),
  ];
});

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    unreachable(
      'widget-never-server',
      'The widget runs in a browser: nothing that holds a key or a secret may be in reach.',
      code('widget'),
      any('server', 'ticket', 'key-fence', 'sandbox'),
    ),
    unreachable('widget-never-node', 'A browser has no Node.', code('widget'), core),
    only(
      'widget-only-lit',
      'The widget carries lit and itself; each further library is weight on every storefront.',
      code('widget'),
      [code('widget'), code('contract'), npm('lit', '@lit', 'react')],
    ),
    never(
      'widget-react-in-its-room',
      'Only the components need React, which their page has. Every other page has none.',
      { path: code('widget'), pathNot: [tests, '/(src|dist)/react/'] },
      { path: npm('react') },
    ),
    never(
      'widget-contract-as-types',
      'Types weigh nothing; the schemas would bring zod into the browser.',
      { path: code('widget'), pathNot: tests },
      { path: any('contract'), dependencyTypesNot: ['type-only'] },
    ),
    never(
      'shoppers-never-reconciliation',
      'Who serves shoppers does not know what finance sees of their orders. The back office of the shop shows it.',
      {
        path: [code('(widget|ticket|server)'), '^examples/(?!shop/src/back-office/)'],
        pathNot: tests,
      },
      { path: '^packages/contract/(src|dist)/reconciliation/' },
    ),
    never(
      'browser-never-back-office',
      'What a browser hears has no place for what a backend asks of the private listener.',
      { path: [code('widget'), '^packages/server/src/storefront/'], pathNot: tests },
      { path: '^packages/contract/(src|dist)/back-office/' },
    ),
    only(
      'contract-only-zod',
      'The contract is what both sides share, so it holds nothing of either.',
      code('contract'),
      [code('contract'), npm('zod')],
    ),
    only(
      'rules-only-contract',
      'Rules about money are pure: no store, no clock, no network that could change a result.',
      code('reconciliation-rules'),
      [code('reconciliation-rules'), code('contract'), npm('temporal-polyfill')],
    ),
    unreachable(
      'console-never-server',
      'The console runs in a browser, as a client of the API like any other: it holds no key and no token.',
      code('console'),
      `${any('server', 'ticket', 'key-fence', 'sandbox', 'reconciliation', 'reconciliation-rules')}|${core}`,
    ),
    never(
      'console-contract-as-types',
      'Types weigh nothing; the schemas would bring zod into the browser. Currencies have one table, CSV one writer.',
      { path: code('console'), pathNot: tests },
      {
        path: any('contract'),
        pathNot: '^packages/contract/(src|dist)/(money/|reconciliation/plain\\.)',
        dependencyTypesNot: ['type-only'],
      },
    ),
    unreachable(
      'server-never-reconciliation',
      'The companion serves shoppers; it neither knows nor waits for who judges their orders.',
      code('server'),
      any('reconciliation', 'reconciliation-rules'),
    ),
    ...upward,
    ...throughDoors,
    unreachable(
      'reconciliation-never-key',
      'Reconciliation holds no key: it asks the companion, and shares no code with it.',
      code('reconciliation'),
      any('server', 'ticket', 'key-fence', 'sandbox', 'widget'),
    ),
    unreachable(
      'server-never-browser',
      'The companion has no screen; what draws one belongs to the widget.',
      code('server'),
      `${any('widget', 'sandbox')}|${npm('lit', '@lit')}`,
    ),
    unreachable(
      'sandbox-never-ours',
      'The sandbox is the other side of the wire: sharing code would hide a shared mistake.',
      code('sandbox'),
      any('contract', 'key-fence', 'server', 'ticket', 'widget'),
    ),
    only(
      'ticket-only-libraries',
      'It is part of a backend of a merchant, which gets nothing of the companion with it.',
      code('ticket'),
      [code('ticket'), code('contract'), npm('jose', 'zod')],
    ),
    only(
      'kit-only-libraries',
      'Every program uses the kit, also those that hold no key: it knows neither the key nor the contract.',
      '^packages/kit/(src|dist)/(?!files/|sql/|listen/|cli/|metrics/|outgoing/|tracing/)',
      [code('kit'), npm('hono', 'ipaddr.js', 'pino', 'standardwebhooks', 'zod')],
    ),
    only(
      'kit-listen-only-node',
      'What listens is given an app, and knows nothing of its routes.',
      '^packages/kit/src/listen/',
      ['^packages/kit/src/listen/', npm('hono', '@hono/node-server'), core],
    ),
    only(
      'kit-measures-only-libraries',
      'What measures a program is given its requests, and knows nothing of either program.',
      '^packages/kit/src/(metrics|tracing)/',
      ['^packages/kit/src/(metrics|tracing|http)/', npm('prom-client', '@opentelemetry/api')],
    ),
    only(
      'kit-sql-only-libraries',
      'What reaches a database knows nothing of either program.',
      '^packages/kit/src/sql/',
      ['^packages/kit/src/(files|sql|limits)/', npm('kysely', 'pg'), core],
    ),
    only(
      'kit-files-only-node',
      'What writes files knows nothing of their contents.',
      '^packages/kit/src/files/',
      ['^packages/kit/src/files/', core],
    ),
    only(
      'kit-cli-only-libraries',
      'A command line is for a terminal, and knows neither a listener nor a database.',
      '^packages/kit/src/cli/',
      [
        '^packages/kit/src/(cli|env|log|operation|outbox|secret)/',
        npm('commander', 'string-width', 'undici', 'zod'),
        core,
      ],
    ),
    only(
      'kit-outgoing-only-libraries',
      'What sends requests knows neither their senders nor what they hold.',
      '^packages/kit/src/outgoing/',
      ['^packages/kit/src/(cli|env|outbox|outgoing)/', npm('undici'), core],
    ),
    unreachable(
      'kit-root-portable',
      'The companion runs where there is no pg, no pino, no Node and no terminal: a program asks for kit/postgres, kit/log, kit/listen, kit/outgoing and kit/cli itself.',
      '^packages/kit/src/(?!sql/|listen/|cli/|outgoing/|log/pino-logger)',
      npm('kysely', 'pg', 'pino', '@hono/node-server', 'commander', 'undici'),
    ),
    only('key-fence-only-node', 'It runs in every build of a merchant.', code('key-fence'), [
      code('key-fence'),
      core,
    ]),
    never(
      'published-entry-points-only',
      'Between packages there is only what `exports` names: as a merchant would import it.',
      { path: '^(packages/([^/]+)|examples|scripts|tests)/' },
      { path: '^packages/', pathNot: ['^packages/$2/', ...published.map((path) => `^${path}$`)] },
    ),
    never(
      'packages-by-name',
      'A relative path into another package gets past its `exports` and its package.json.',
      { path: '^(packages/([^/]+)|examples)/' },
      { path: '^packages/', pathNot: '^packages/$2/', dependencyTypes: ['local'] },
    ),
    unreachable(
      'shop-page-never-server',
      'What a shop sends to a browser, like any storefront.',
      '^examples/[^/]+/(src/client|pages)/',
      `${any('server', 'ticket', 'sandbox', 'key-fence')}|${core}`,
    ),
    never(
      'nothing-needs-tests',
      'Tests depend on what is published, never the other way round.',
      { path: '^(packages|examples)/', pathNot: tests },
      { path: `${tests}|^tests/` },
    ),
    never(
      'packages-stand-alone',
      'A published package has no examples and scripts beside it.',
      { path: '^packages/' },
      { path: '^(examples|scripts)/' },
    ),
    never(
      'declared-dependencies-only',
      'What is published must be installed with it. The console is published as a bundle.',
      { path: '^(packages|examples)/[^/]+/src/', pathNot: [tests, code('console')] },
      {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['type-only', 'npm-peer'],
      },
    ),
    never(
      'no-unresolved',
      'An import that leads nowhere is one no rule can follow.',
      {},
      {
        couldNotResolve: true,
      },
    ),
    never(
      'no-cycle',
      'No file needs itself over others, not even as a type.',
      {},
      { circular: true },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    // A build has the same imports as its source, and searching both for paths would take three
    // times as long.
    doNotFollow: { path: ['node_modules', '^packages/[^/]+/dist/'] },
    exclude: { path: '\\.d\\.ts$' },
    builtInModules: { add: ['node:sqlite'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
