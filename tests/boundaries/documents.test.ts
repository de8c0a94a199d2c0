import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createProgram, readConfiguration } from '../../packages/reconciliation/dist/index.js';
import {
  createCompanion,
  createServiceClient,
  PrivateKey,
  Secret,
  type Store,
} from '../../packages/server/dist/index.js';
import { describe, expect, it, test } from 'vitest';
import { problemCodes } from '../../packages/contract/dist/storefront/index.js';
import {
  exceptionCodes,
  exceptions,
  fundingAxis,
  returnsAxis,
} from '../../packages/contract/dist/reconciliation/plain.js';
import { pagePorts, stackPorts } from '../../scripts/ports.ts';
import { companionMemory, reconciliationMemory } from '../../scripts/processes.ts';
import { blocksOf, brokenTablesIn, commandsIn } from './blocks.ts';
import { root } from './tree.ts';

test.each(['packages/server/README.md', 'packages/server/docs/deploying.md'])(
  "%s configures the companion's presentation and its webhook",
  (file) => {
    const made = blocksOf(file, 'ts').filter((code) => code.includes('createServiceClient({'));
    expect(made).toHaveLength(1);
    // Both options are optional, so only this test detects a missing one.
    expect(made[0]).toMatch(/^ +hostedUrl: \S/m);
    expect(made[0]).toMatch(/^ +webhook: \{/m);
  },
);

test('the systemd unit configures them as well', () => {
  const unit = readFileSync(join(root, 'deploy/systemd/financing-companion.service'), 'utf8');
  const set = Array.from(unit.matchAll(/^Environment=([A-Z_]+)=\S/gm), ([, name]) => name);
  expect(set).toEqual(
    expect.arrayContaining([
      ...['FINANCING_ENVIRONMENT', 'FINANCING_BASE_URL', 'FINANCING_SDK_URL'],
      ...['FINANCING_PUBLIC_API_KEY_FILE', 'FINANCING_PRIVATE_API_KEY_FILE'],
      ...['ORDER_TICKET_SECRET_FILE', 'COMPANION_ALLOWED_ORIGINS'],
      ...['COMPANION_WEBHOOK_URL', 'COMPANION_WEBHOOK_SECRET_FILE'],
    ]),
  );
  // Each secret file is a credential that the unit loads.
  const files = Array.from(unit.matchAll(/_FILE=%d\/([\w-]+)$/gm), ([, name]) => name);
  const given = Array.from(unit.matchAll(/^LoadCredential=([\w-]+):/gm), ([, name]) => name);
  expect(files).toEqual(given);
});

test.each([
  ['deploy/Dockerfile', 'server', companionMemory],
  ['deploy/systemd/financing-companion.service', 'server', companionMemory],
  ['deploy/Dockerfile', 'reconciliation', reconciliationMemory],
  ['deploy/systemd/financing-reconciliation.service', 'reconciliation', reconciliationMemory],
])('%s uses the memory settings of the benchmarks: %s', (file, name, memory) => {
  const lines = readFileSync(join(root, file), 'utf8').replaceAll(/^#.*$/gm, '');
  const env = Array.from(lines.matchAll(/(MALLOC_\w+)=(\w+)/g), ([, key, value]) => [key, value]);
  expect(Object.fromEntries(env)).toEqual(memory.env);
  const main = { server: 'dist/node/main.js', reconciliation: 'dist/cli/main.js' }[name] ?? '';
  const started = lines
    .split('\n')
    .filter((line) => /^(?:ENTRYPOINT|ExecStart)/.test(line) && line.includes(main));
  expect(started).toHaveLength(1);
  expect(started[0]?.match(/--[\w-]+(?:=\w+)?/g)).toEqual(memory.nodeArgs);
});

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
    'deploy/systemd/financing-companion.service',
  ])('%s: the companion', (file) => {
    const known = withFiles(companion);
    expect([...namedIn(file)].filter((one) => !known.has(one))).toEqual([]);
  });

  test.each(['README.md', 'docs/apis.md', 'docs/production.md', 'deploy/Dockerfile'])(
    '%s: either',
    (file) => {
      const known = withFiles(new Set([...companion, ...reconciliation]));
      expect([...namedIn(file)].filter((one) => !known.has(one))).toEqual([]);
    },
  );
});

const variables =
  /\b(?:FINANCING|COMPANION|ORDER_TICKET|RECONCILIATION|NOTIFICATION|LOG)_[A-Z_]*[A-Z]\b/g;

/** Returns the variables that a document names. */
function namedIn(file: string): Set<string> {
  return new Set(readFileSync(join(root, file), 'utf8').match(variables));
}

/** Returns the variables that the configuration of a package reads. */
function readBy(name: string): Set<string> {
  const source = readFileSync(join(root, `packages/${name}/src/config/variables.ts`), 'utf8');
  const names = Array.from(source.matchAll(/^ {2}([A-Z_]+): \{/gm), ([, one = '']) => one);
  // Both programs have the variables of the log, which the kit lists.
  return new Set([...names, 'LOG_LEVEL', 'LOG_FORMAT']);
}

/** Returns variables with their `_FILE` variants. */
function withFiles(names: ReadonlySet<string>): Set<string> {
  return new Set([...names].flatMap((name) => [name, `${name}_FILE`]));
}

/** Returns a back office of the companion that serves requests without a store or a service. */
function companionApi(docsUrl?: string) {
  const key = new PrivateKey('private-key-0123456789');
  const { backOffice } = createCompanion({
    environment: 'sandbox',
    publicKey: 'public-key-0123456789',
    service: createServiceClient({ baseUrl: 'https://service.example/', keys: [key] }),
    tripWire: () => false,
    store: {} as Store,
    allowedOrigins: ['https://shop.example'],
    docsUrl,
    tickets: { secrets: [new Secret('x'.repeat(32))] },
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  });
  return backOffice;
}

test.each([
  ['https://docs.shop.example/financing', 'https://docs.shop.example/financing/errors/not-found'],
  [undefined, 'urn:financing-checkout:problem:not-found'],
])('the type of a problem, with the documentation at %s, is %s', async (docsUrl, type) => {
  const config = readConfiguration(
    { RECONCILIATION_ENVIRONMENT: 'sandbox', RECONCILIATION_DOCS_URL: docsUrl },
    () => '',
  );
  for (const app of [companionApi(docsUrl), createProgram(config).app]) {
    const response = await app.request('/nowhere');
    expect(await response.json()).toMatchObject({ code: 'not-found', type });
  }
});

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

test('the README of the rules lists order statuses, and exceptions as the register states them', () => {
  const readme = readFileSync(join(root, 'packages/reconciliation-rules/README.md'), 'utf8');
  const tables = readme
    .split(/\n\n/)
    .map((part) => Array.from(part.matchAll(/^\| `([A-Z_]+)`/gm), ([, word]) => word));
  const [funding = [], returns = []] = tables.filter((words) => words.length > 0);
  expect(funding.sort()).toEqual([...fundingAxis].sort());
  expect(returns.sort()).toEqual([...returnsAxis].sort());
  const rows = [...readme.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.+?) +\|$/gm)];
  expect(rows.map(([, ...cells]) => cells)).toEqual(
    exceptionCodes.map((code) => [code, exceptions[code].en.meaning, exceptions[code].since]),
  );
});

test('the code for Vue, Svelte and Angular equals that of the tested example shops', () => {
  const readme = readFileSync(join(root, 'packages/widget/README.md'), 'utf8');
  const [section = ''] = /^### Vue, Svelte and Angular$[^]*?^### /m.exec(readme) ?? [];
  const shops = 'examples/integrations/apps/*/{app,src}/**/*.{svelte,ts,vue}';
  const sources = globSync(shops, { cwd: root }).map((file) =>
    withoutIndentation(readFileSync(join(root, file), 'utf8')),
  );
  const code = Array.from(section.matchAll(/^```\w+\n([^]*?)^```$/gm), ([, text = '']) =>
    withoutIndentation(text),
  );
  expect(code).toHaveLength(5);
  expect(code.filter((text) => !sources.some((source) => source.includes(text)))).toEqual([]);
});

function withoutIndentation(text: string): string {
  return text.replaceAll(/^ +/gm, '');
}

const files = globSync(['*.md', 'docs/*.md', '{packages,examples}/*/{,docs/}*.md'], { cwd: root });

describe('tables', () => {
  test.each([...files, ...globSync('docs/decisions/*.md', { cwd: root })])(
    'in %s are tables on a page',
    (file) => {
      expect(brokenTablesIn(readFileSync(join(root, file), 'utf8'))).toEqual([]);
    },
  );

  const head = '| a | b |\n';
  test.each([
    ['no line below its head', `${head}| 1 | 2 |\n`],
    ['a head alone', head],
    ['too many cells in a row', `${head}| - | - |\n| 1 | 2 | 3 |\n`],
    ['a bar in a cell', `${head}| - | - |\n| \`x|y\` | 2 |\n`],
    ['a head that is too short', '| a |\n| - | - |\n| 1 | 2 |\n'],
  ])('control: a table with %s is found', (_, table) => {
    expect(brokenTablesIn(`# Title\n\n${table}\ntext\n`)).toHaveLength(1);
  });

  test('control: a table, and bars in code, are not found', () => {
    const table = `${head}| :-- | --: |\n| \`x\\|y\` | |\n`;
    expect(brokenTablesIn(`${table}\n\`\`\`\n| no | table |\n\`\`\`\n`)).toEqual([]);
  });
});

describe('the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');

  test('has at most 900 words', () => {
    expect(readme.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(900);
  });

  test('says of each block of commands whether `npm run test:readme` runs it', () => {
    const commands = commandsIn(readme);
    expect(commands.filter(({ notRun }) => notRun === undefined).length).toBeGreaterThan(3);
  });

  test('control: a block without a comment, or with an unknown one, is found', () => {
    for (const comment of ['', '<!-- rum -->\n\n', '<!-- run -->\n\ntext\n\n']) {
      expect(() => commandsIn(`${comment}\`\`\`sh\nls\n\`\`\`\n`)).toThrow('ls');
    }
  });
});

describe('ports of this machine', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const rows = read('CONTRIBUTING.md').matchAll(
    /^\| ([^|]+?) +\| https?:\/\/(?:localhost|127\.0\.0\.1):(\d+) +\|/gm,
  );
  const table = Array.from(rows, ([, what, port]) => [what, Number(port)] as const);

  test('have one thing each in the table of CONTRIBUTING.md', () => {
    const things = Map.groupBy(table, ([, port]) => port);
    const shared = [...things.values()].filter(({ length }) => length > 1);
    expect(shared).toEqual([]);
  });

  test('are in the table: those of npm start, and of the shop and the companion of the README', () => {
    const variable = (name: string) => {
      const [, value = ''] =
        new RegExp(`^export ${name}=(\\S+)`, 'm').exec(read('README.md')) ?? [];
      return Number(/(\d+)(?:\/.*)?$/.exec(value)?.[1]);
    };
    expect(table).toEqual([
      ['shop', stackPorts.shop],
      ['companion, storefront', stackPorts.companion],
      ['companion, back office', stackPorts.backOffice],
      ['reconciliation', stackPorts.reconciliation],
      ['sandbox API', stackPorts.sandboxApi],
      ['sandbox hosted page', stackPorts.hosted],
      ['sandbox control', stackPorts.control],
      ['playground', pagePorts.playground],
      ['documentation', pagePorts.docs],
      ['your shop (README)', variable('COMPANION_WEBHOOK_URL')],
      ['your companion', variable('COMPANION_PORT')],
      ['its back office', variable('COMPANION_BACK_OFFICE_PORT')],
    ]);
    expect(variable('COMPANION_ALLOWED_ORIGINS')).toBe(variable('COMPANION_WEBHOOK_URL'));
  });

  test.each(files)('in %s are those of the table', (file) => {
    const known = new Set(table.map(([, port]) => port));
    const named = read(file).matchAll(
      /(?:(?<![.\w])localhost:|127\.0\.0\.1:|\b(?:[A-Z]+_)*PORT=)(\d+)/g,
    );
    const ports = Array.from(named, ([, port]) => Number(port));
    expect(ports.filter((port) => !known.has(port))).toEqual([]);
  });
});

describe('commands of the workspace', () => {
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

  test('are searched for in all documents', () => {
    expect(files).toEqual(expect.arrayContaining(['README.md', 'packages/server/docs/store.md']));
  });
});
