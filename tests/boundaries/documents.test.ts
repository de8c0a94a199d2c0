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
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
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
  { file: 'packages/contract/README.md', at: 'packages/contract', runtime: 'edge', count: 1 },
  {
    file: 'packages/reconciliation-rules/README.md',
    at: 'packages/reconciliation-rules',
    runtime: 'edge',
    count: 2,
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
    'and in %s a companion has what to show to shoppers, and tells the shop',
    (file) => {
      const made = examplesOf(file).filter((code) => code.includes('createServiceClient({'));
      expect(made).toHaveLength(1);
      // Both may be left out, so that nothing but this would miss them.
      expect(made[0]).toMatch(/^ +hostedUrl: \S/m);
      expect(made[0]).toMatch(/^ +webhook: \{/m);
    },
  );

  it('and so it has as a service of systemd', () => {
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

  it('are all there', () => {
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
  '%s has the companion run with as little memory as it is measured with',
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

describe('variables of the companion', () => {
  const named =
    /\b(?:FINANCING|COMPANION|ORDER_TICKET|RECONCILIATION|NOTIFICATION|LOG)_[A-Z_]*[A-Z]\b/g;
  const text = (file: string) => readFileSync(join(root, file), 'utf8');
  const of = (file: string) => new Set(text(file).match(named));
  const readme = of('packages/server/README.md');
  const [lists = ''] = text('packages/server/src/config/reader.ts').split('type PlainName');
  const read = new Set(lists.match(named));
  const isRead = (name: string) => read.has(name) || read.has(name.replace(/_FILE$/, ''));

  it('are all in its README, and no other is', () => {
    expect(read.size).toBeGreaterThan(40);
    expect([...read].filter((name) => !readme.has(name))).toEqual([]);
    expect([...readme].filter((name) => !isRead(name))).toEqual([]);
  });

  test.each([
    'README.md',
    'docs/architecture.md',
    'packages/server/docs/charges-and-messages.md',
    'packages/server/docs/deploying.md',
    'packages/server/docs/store.md',
    'packages/server/Dockerfile',
  ])('in %s are variables that it reads', (file) => {
    expect([...of(file)].filter((name) => !isRead(name))).toEqual([]);
  });
});

test('variables of the shop are all in its README, and no other is', () => {
  const text = (file: string) => readFileSync(join(root, 'examples/shop', file), 'utf8');
  const named = /\b(?:[A-Z]+_){1,3}[A-Z]+\b/g;
  const source = [...text('src/config.ts').matchAll(/'((?:[A-Z]+_){1,3}[A-Z]+)'/g)];
  const read = new Set(source.map(([, name = '']) => name.replace(/_FILE$/, '')));
  const stated = new Set(text('README.md').match(named));
  expect(read.size).toBeGreaterThan(12);
  expect([...stated].sort()).toEqual([...read].sort());
});

test('how an order stands, and its exceptions from the gravest on, are in the README of the rules', () => {
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

  test.each(files)('in %s are there', (file) => {
    const folder = dirname(file).replace(/\/docs$|^docs$/, '');
    const known = new Set([...scriptsOf('.'), ...scriptsOf(folder)]);
    const named = readFileSync(join(root, file), 'utf8').matchAll(/npm run ([a-z][\w:-]*\w)/g);
    expect([...named].map(([, name = '']) => name).filter((name) => !known.has(name))).toEqual([]);
  });

  test('are looked for', () => {
    expect(files).toEqual(expect.arrayContaining(['README.md', 'packages/server/docs/store.md']));
  });
});
