import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createProgram, readConfiguration } from '../../packages/reconciliation/dist/index.js';
import {
  createBackOfficeApi,
  createServiceClient,
  PrivateKey,
  type Store,
} from '../../packages/server/dist/index.js';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { problemCodes } from '../../packages/contract/dist/index.js';
import { exceptionCodes, fundingAxis, returnsAxis } from '../../packages/contract/dist/plain.js';
import { companionMemory } from '../../scripts/processes.ts';
import { errorsOf } from './compile.ts';
import { root } from './tree.ts';

/** What a reader has to have of his own, by words of the example that needs it. */
const given: [needle: string, declarations: string][] = [
  [
    'signOrderTicket(order,',
    "import type { CheckoutRecord, Order } from '@financing-checkout/contract';\n" +
      'declare const order: Order, data: CheckoutRecord, ship: (merchantOrderId: string) => void;\n',
  ],
  [
    '.parse(message)',
    "import type { Order } from '@financing-checkout/contract';\n" +
      'declare const message: unknown, ship: (merchantOrderId: string) => void;\n' +
      'declare const findOrder: (merchantOrderId: string) => Order | undefined;\n',
  ],
  ['startSandbox({', 'declare const dataDir: string;\n'],
  [
    'addFlows(walk,',
    "import type { OrderLines, Policy } from '@financing-checkout/reconciliation-rules';\n" +
      'declare const orders: OrderLines[], policy: Policy, day: (text: string) => number;\n',
  ],
];

/** Documents, with the folder whose packages an example may import and what runs it. */
const documents = [
  { file: 'packages/server/README.md', at: 'packages/server', runtime: 'node', count: 2 },
  { file: 'packages/server/docs/deploying.md', at: 'packages/server', runtime: 'edge', count: 1 },
  { file: 'packages/key-fence/README.md', at: 'packages/key-fence', runtime: 'node', count: 1 },
  { file: 'packages/kit/README.md', at: 'packages/kit', runtime: 'edge', count: 1 },
  { file: 'packages/contract/README.md', at: 'packages/contract', runtime: 'edge', count: 1 },
  {
    file: 'packages/reconciliation-rules/README.md',
    at: 'packages/reconciliation-rules',
    runtime: 'edge',
    count: 2,
  },
  {
    file: 'packages/reconciliation/README.md',
    at: 'packages/reconciliation',
    runtime: 'node',
    count: 1,
  },
  { file: 'packages/sandbox/README.md', at: 'packages/sandbox', runtime: 'node', count: 1 },
  { file: 'packages/widget/README.md', at: 'packages/widget', runtime: 'page', count: 1 },
] as const;

const runtimes = {
  node: { lib: ['es2024'], types: ['node'] },
  // The Web's standards alone: no Node, no page.
  edge: { lib: ['es2024', 'webworker'], types: [] },
  page: { lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
};

function examplesOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) => code);
}

/** The errors of some code, compiled as a reader would who installed the package. */
function compile(folder: string, at: string, runtime: keyof typeof runtimes, code: string): string {
  const { name, dependencies, devDependencies } = JSON.parse(
    readFileSync(join(root, at, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'devDependencies', object | undefined> & { name: string };
  const link = (installed: string, target: string) => {
    const path = join(folder, 'node_modules', installed);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  link(name, join(root, at));
  for (const installed of Object.keys({ ...dependencies, ...devDependencies })) {
    link(installed, join(root, at, 'node_modules', installed));
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'example.ts'), code);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...runtimes[runtime],
        typeRoots: [join(root, 'packages/server/node_modules/@types')],
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: true,
      },
      files: ['example.ts'],
    }),
  );
  return errorsOf(join(folder, 'tsconfig.json'), folder);
}

describe('examples in the documents compile', () => {
  let parent: string;
  beforeAll(() => {
    mkdirSync(join(root, '.data/boundaries'), { recursive: true });
    parent = mkdtempSync(join(root, '.data/boundaries/documents-'));
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  const cases = documents.flatMap(({ file, at, runtime }) =>
    examplesOf(file).map((code, index) => ({ name: `${file} (${index})`, at, runtime, code })),
  );

  test.each(cases)('$name', ({ name, at, runtime, code }) => {
    const before = given.filter(([needle]) => code.includes(needle)).map(([, text]) => text);
    const folder = join(parent, name.replaceAll(/\W+/g, '-'));
    expect(compile(folder, at, runtime, [...before, code].join(''))).toBe('');
  });

  test.each(['packages/server/README.md', 'packages/server/docs/deploying.md'])(
    "%s configures the companion's presentation and its webhook",
    (file) => {
      const made = examplesOf(file).filter((code) => code.includes('createServiceClient({'));
      expect(made).toHaveLength(1);
      // Both may be left out, so that nothing but this would miss them.
      expect(made[0]).toMatch(/^ +hostedUrl: \S/m);
      expect(made[0]).toMatch(/^ +webhook: \{/m);
    },
  );

  it('the systemd unit configures them as well', () => {
    const text = readFileSync(join(root, 'packages/server/docs/deploying.md'), 'utf8');
    const [unit = ''] = /^```ini\n[^]*?^```$/m.exec(text) ?? [];
    const set = Array.from(unit.matchAll(/^Environment=([A-Z_]+)=\S/gm), ([, name]) => name);
    expect(set).toEqual(
      expect.arrayContaining([
        ...['FINANCING_ENVIRONMENT', 'FINANCING_BASE_URL', 'FINANCING_HOSTED_URL'],
        ...['FINANCING_PUBLIC_API_KEY_FILE', 'FINANCING_PRIVATE_API_KEY_FILE'],
        ...['ORDER_TICKET_SECRET_FILE', 'COMPANION_ALLOWED_ORIGINS'],
        ...['COMPANION_WEBHOOK_URL', 'COMPANION_WEBHOOK_SECRET_FILE'],
      ]),
    );
    // Each secret that is a file is one that systemd was given.
    const files = Array.from(unit.matchAll(/_FILE=%d\/([\w-]+)$/gm), ([, name]) => name);
    const given = Array.from(unit.matchAll(/^LoadCredential=([\w-]+):/gm), ([, name]) => name);
    expect(files).toEqual(given);
  });

  it('exist', () => {
    for (const { file, count } of documents) expect(examplesOf(file)).toHaveLength(count);
  });

  test.each([
    ['an option that is not there', 'tickets: {', 'ticket: {', /TS2561/],
    ['a key as text', 'keys: [key]', 'keys: [env.FINANCING_PRIVATE_API_KEY]', /TS2322/],
    ['a name of Node', 'env.FINANCING_HOSTED_URL', "process.env.URL ?? ''", /TS2591|TS2580/],
    ['a name nobody exports', 'createTripWire', 'createTripwire', /TS2724|TS2305/],
  ])('control: %s is found', (name, right, wrong, error) => {
    const [code = ''] = examplesOf('packages/server/docs/deploying.md');
    expect(code).toContain(right);
    const folder = join(parent, name.replaceAll(/\W+/g, '-'));
    const errors = compile(folder, 'packages/server', 'edge', code.replace(right, wrong));
    expect(errors).toMatch(error);
  });
});

test.each(['packages/server/Dockerfile', 'packages/server/docs/deploying.md'])(
  '%s uses the memory settings that the benchmarks use',
  (file) => {
    const lines = readFileSync(join(root, file), 'utf8').replaceAll(/^#.*$/gm, '');
    const env = Array.from(lines.matchAll(/(MALLOC_\w+)=(\w+)/g), ([, name, value]) => [
      name,
      value,
    ]);
    expect(Object.fromEntries(env)).toEqual(companionMemory.env);
    const started = /^(?:ENTRYPOINT|ExecStart).*main\.js/m.exec(lines)?.[0] ?? '';
    expect(started.match(/--[\w-]+(?:=\w+)?/g)).toEqual(companionMemory.nodeArgs);
  },
);

describe.each([
  ['server', 40],
  ['reconciliation', 24],
])('variables of packages/%s', (name, least) => {
  const read = readBy(name);
  const readme = namedIn(`packages/${name}/README.md`);

  it('are exactly those in its README', () => {
    expect(read.size).toBeGreaterThan(least);
    const known = withFiles(read);
    expect([...read].filter((one) => !readme.has(one))).toEqual([]);
    expect([...readme].filter((one) => !known.has(one))).toEqual([]);
  });
});

describe('variables of documents are read by a program', () => {
  const [companion, reconciliation] = [readBy('server'), readBy('reconciliation')];

  it('only the companion reads a private key', () => {
    expect([...companion].filter((one) => one.includes('PRIVATE'))).not.toEqual([]);
    const keys = /^FINANCING_|PRIVATE/;
    expect([...reconciliation].filter((one) => keys.test(one))).toEqual([]);
  });

  test.each([
    'packages/server/docs/charges-and-messages.md',
    'packages/server/docs/deploying.md',
    'packages/server/docs/store.md',
    'packages/server/Dockerfile',
  ])('%s: the companion', (file) => {
    const known = withFiles(companion);
    expect([...namedIn(file)].filter((one) => !known.has(one))).toEqual([]);
  });

  test.each(['README.md', 'docs/apis.md'])('%s: either', (file) => {
    const known = withFiles(new Set([...companion, ...reconciliation]));
    expect([...namedIn(file)].filter((one) => !known.has(one))).toEqual([]);
  });
});

const variables =
  /\b(?:FINANCING|COMPANION|ORDER_TICKET|RECONCILIATION|NOTIFICATION|LOG)_[A-Z_]*[A-Z]\b/g;

/** Returns the variables that a document names. */
function namedIn(file: string): Set<string> {
  return new Set(readFileSync(join(root, file), 'utf8').match(variables));
}

/** Returns the variables that the configuration of a package reads. */
function readBy(name: string): Set<string> {
  const source = readFileSync(join(root, `packages/${name}/src/config/reader.ts`), 'utf8');
  const [lists = ''] = source.split('type PlainName');
  return new Set(lists.match(variables));
}

/** Returns variables, and those that name a file with the value of one. */
function withFiles(names: ReadonlySet<string>): Set<string> {
  return new Set([...names].flatMap((name) => [name, `${name}_FILE`]));
}

/** Returns a companion's back office that answers what needs no store and no service. */
function companionApi() {
  const key = new PrivateKey('private-key-0123456789');
  return createBackOfficeApi({
    environment: 'sandbox',
    publicKey: 'public-key-0123456789',
    service: createServiceClient({ baseUrl: 'https://service.example/', keys: [key] }),
    tripWire: () => false,
    store: {} as Store,
    allowedOrigins: ['https://shop.example'],
    tickets: { secrets: ['x'.repeat(32)] },
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
}

describe('docs/apis.md', () => {
  const text = readFileSync(join(root, 'docs/apis.md'), 'utf8');

  it('names existing addresses', async () => {
    const config = readConfiguration({ RECONCILIATION_ENVIRONMENT: 'sandbox' }, () => '');
    const answer = await createProgram(config).app.request('/openapi.json');
    const companion = await companionApi().request('/openapi.json');
    const operations = (
      [await answer.json(), await companion.json()] as { paths: Record<string, object> }[]
    ).flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({ method, path })),
      ),
    );
    const plain = (path: string) => path.replaceAll(/:\w+|\{\w+\}/g, '*');
    const known = new Set(
      operations.map(({ method, path }) => `${method.toUpperCase()} ${plain(path)}`),
    );
    expect(known).toContain('POST /charges/*/refunds');
    expect(known).toContain('GET /summary');
    const named = Array.from(
      text.matchAll(/`(GET|POST) (\/[\w/{}.-]*)/g),
      ([, method, path]) => `${method} ${plain(path ?? '')}`,
    );
    expect(named.filter((one) => !known.has(one))).toEqual([]);
  });

  it('names existing events, reasons and problems', () => {
    const sources = globSync('packages/{server,reconciliation}/src/**/*.ts', { cwd: root })
      .filter((file) => !/\.(?:test|fixture)\.ts$/.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const rows = Array.from(text.matchAll(/^\|(.+)\|$/gm), ([, row = '']) =>
      row.split(/(?<!\\)\|/).slice(1),
    );
    const words = rows
      .flat()
      .flatMap((cell) =>
        Array.from(cell.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g), ([, word = '']) => word),
      );
    const isKnown = (word: string) =>
      problemCodes.some((code) => code === word) ||
      sources.includes(`'${word}'`) ||
      sources.includes(`\`${word.replace(/-[a-z]+$/, '-')}\${`);
    expect(words.length).toBeGreaterThan(0);
    expect(words.filter((word) => !isKnown(word))).toEqual([]);
  });
});

test('the variables of the shop are exactly those in its README', () => {
  const text = (file: string) => readFileSync(join(root, 'examples/shop', file), 'utf8');
  const named = /\b(?:[A-Z]+_){1,3}[A-Z]+\b/g;
  const source = [...text('src/config.ts').matchAll(/'((?:[A-Z]+_){1,3}[A-Z]+)'/g)];
  const read = new Set(source.map(([, name = '']) => name.replace(/_FILE$/, '')));
  const stated = new Set(text('README.md').match(named));
  expect(read.size).toBeGreaterThan(12);
  expect([...stated].sort()).toEqual([...read].sort());
});

test('the README of the rules lists order statuses, and exceptions from the gravest on', () => {
  const readme = readFileSync(join(root, 'packages/reconciliation-rules/README.md'), 'utf8');
  const tables = readme
    .split(/\n\n/)
    .map((part) => Array.from(part.matchAll(/^\| `([A-Z_]+)`/gm), ([, word]) => word));
  const [funding = [], returns = [], exceptions] = tables.filter((words) => words.length > 0);
  expect(funding.sort()).toEqual([...fundingAxis].sort());
  expect(returns.sort()).toEqual([...returnsAxis].sort());
  expect(exceptions).toEqual(exceptionCodes);
});

describe('commands of the workspace', () => {
  const files = globSync(['*.md', 'docs/*.md', '{packages,examples}/*/{,docs/}*.md'], {
    cwd: root,
  });
  const scriptsOf = (folder: string) => {
    const manifest = readFileSync(join(root, folder, 'package.json'), 'utf8');
    return Object.keys((JSON.parse(manifest) as { scripts?: object }).scripts ?? {});
  };

  test.each(files)('in %s exist', (file) => {
    const folder = dirname(file).replace(/\/docs$|^docs$/, '');
    const known = new Set([...scriptsOf('.'), ...scriptsOf(folder)]);
    const named = readFileSync(join(root, file), 'utf8').matchAll(/npm run ([a-z][\w:-]*\w)/g);
    expect([...named].map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
  });

  test('are searched in all documents', () => {
    expect(files).toEqual(expect.arrayContaining(['README.md', 'packages/server/docs/store.md']));
  });
});
