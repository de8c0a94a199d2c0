/* Checks every example of the documents: code compiles, elements and commands exist. */
import { execFile } from 'node:child_process';
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
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorsOf } from './compile.ts';
import { root } from './tree.ts';
import { blocksOf } from './blocks.ts';

const documents = globSync('{*.md,docs/**/*.md,{packages,examples}/*/{*.md,docs/**/*.md}}', {
  cwd: root,
}).filter((file) => file !== 'CHANGELOG.md');

const element = "declare const element: import('@financing-checkout/widget').FinancingCheckout;\n";
const order = "declare const order: import('@financing-checkout/contract/storefront').Order;\n";
const ship = 'declare function ship(merchantOrderId: string): void;\n';
const findOrder =
  "declare function findOrder(merchantOrderId: string): import('@financing-checkout/contract/storefront').Order | undefined;\n";

/** Declarations of a reader's own code, by text of the examples that need them. */
const given: [words: string, declarations: string][] = [
  ['signOrderTicket(order,', order + ship],
  [
    'verify(rawBody, headers)',
    `${findOrder}declare const rawBody: string, headers: Record<string, string>;\n` +
      'declare function markPaid(order: object): void;\n',
  ],
  ['webhookSchema.parse(message)', `${findOrder}declare const message: unknown;\n${ship}`],
  ['startSandbox({', 'declare const dataDir: string;\n'],
  [
    'cashFlows(order,',
    "import type { OrderLines, Policy } from '@financing-checkout/reconciliation-rules';\n" +
      'declare const orders: OrderLines[], policy: Policy;\n',
  ],
  ['element.', element],
  ['terms.checked', 'declare const terms: HTMLInputElement;\n'],
  ['signAgain(', 'declare function signAgain(consumer: unknown): Promise<string>;\n'],
  [
    'renderMessage(programmes',
    "declare const programmes: import('@financing-checkout/contract/storefront').Programmes, nonce: string;\n",
  ],
  ['module.exports', 'declare const module: { exports: unknown };\n'],
  ['process.once(', 'declare const process: { once(event: string, then: () => void): void };\n'],
  ['onMounted(', "import { onMounted } from 'vue';\n"],
  [
    'gtag(',
    'declare function gtag(...values: unknown[]): void;\n' +
      'declare const analytics: { track(name: string, properties: object): void };\n',
  ],
];

const runtimes = {
  node: { lib: ['es2024'], types: ['node'] },
  // Web standards only: neither Node nor the DOM.
  edge: { lib: ['es2024', 'webworker'], types: [] },
  page: { lib: ['es2024', 'dom', 'dom.iterable'], types: [], jsx: 'react-jsx' },
};

/** Where the code of a document runs, and the folder whose packages it may import. */
const surroundings: Record<string, { runtime: keyof typeof runtimes; at: string }> = {
  'README.md': { runtime: 'node', at: 'examples/shop' },
  'packages/contract/README.md': { runtime: 'edge', at: 'packages/contract' },
  'packages/key-fence/README.md': { runtime: 'node', at: 'packages/key-fence' },
  'packages/kit/README.md': { runtime: 'edge', at: 'packages/kit' },
  'packages/reconciliation/README.md': { runtime: 'node', at: 'packages/reconciliation' },
  'packages/reconciliation-rules/README.md': {
    runtime: 'edge',
    at: 'packages/reconciliation-rules',
  },
  'packages/sandbox/README.md': { runtime: 'node', at: 'packages/sandbox' },
  'packages/server/README.md': { runtime: 'node', at: 'packages/server' },
  // Its examples in JavaScript are for Node, and one of them is CommonJS.
  'packages/server/docs/deploying.md': { runtime: 'edge', at: 'packages/server' },
  'packages/ticket/README.md': { runtime: 'node', at: 'packages/ticket' },
  'packages/widget/README.md': { runtime: 'page', at: 'packages/widget' },
};

/** Angular is not installed here: its example is compared with a shop, whose build compiles it. */
const isOfAngular = (code: string) => code.includes('@Directive(');

const codeOf = (file: string) => [
  ...blocksOf(file, 'ts')
    .filter((code) => !isOfAngular(code))
    .map((code) => ({ code, name: 'ts' })),
  ...blocksOf(file, 'js').map((code) => ({ code, name: 'ts' })),
  ...blocksOf(file, 'tsx').map((code) => ({ code, name: 'tsx' })),
];

/**
 * Compiles the code of a document against the installed package. Returns the errors.
 */
function compile(folder: string, file: string, examples: ReturnType<typeof codeOf>): string {
  const { runtime, at } = surroundings[file] ?? raise(`${file}: state where its code runs.`);
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
  const files = {
    'package.json': '{ "type": "module" }',
    // A package that only readers with OpenTelemetry install, and a file with the reader's own
    // texts.
    'site.d.ts':
      "declare module '@opentelemetry/sdk-node' { class NodeSDK { start(): void; shutdown(): Promise<void> } }\n",
    'sv.ts': "export declare const texts: import('@financing-checkout/widget').Texts;\n",
    ...Object.fromEntries(
      examples.map(({ code, name: language }, index) => {
        const before = given.filter(([words]) => code.includes(words)).map(([, text]) => text);
        // The address at which the reader serves `cdn/`.
        const resolved = code.replaceAll(
          "'/financing-checkout.js'",
          "'@financing-checkout/widget'",
        );
        return [`example-${index}.${language}`, `${before.join('')}${resolved}\nexport {};\n`];
      }),
    ),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...runtimes[runtime],
        typeRoots: [join(root, 'packages/server/node_modules/@types')],
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: true,
      },
      include: ['example-*', 'site.d.ts'],
    }),
  };
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content);
  return errorsOf(join(folder, 'tsconfig.json'), folder);
}

function raise(message: string): never {
  throw new Error(message);
}

describe('the code of a document compiles in strict TypeScript', () => {
  let parent: string;
  beforeAll(() => {
    mkdirSync(join(root, '.data/boundaries'), { recursive: true });
    parent = mkdtempSync(join(root, '.data/boundaries/examples-'));
  });
  afterAll(() => rmSync(parent, { recursive: true }));
  const folder = () => mkdtempSync(join(parent, 'document-'));
  const withCode = documents.filter((file) => codeOf(file).length > 0);

  test.each(withCode)('%s', (file) => {
    expect(compile(folder(), file, codeOf(file))).toBe('');
  });

  test.each([
    ['an option that is not there', 'tickets: {', 'ticket: {', /TS2561/],
    ['a key as text', 'keys: [key]', 'keys: [env.FINANCING_PRIVATE_API_KEY]', /TS2322/],
    ['a name of Node', 'env.FINANCING_HOSTED_URL', "process.env.URL ?? ''", /TS2591|TS2580/],
    ['a name nobody exports', 'createTripWire', 'createTripwire', /TS2724|TS2305/],
  ])('control: %s is found', (_, right, wrong, error) => {
    const file = 'packages/server/docs/deploying.md';
    const found = codeOf(file).filter(({ code }) => code.includes(right));
    expect(found).toHaveLength(1);
    const changed = found.map((one) => ({ ...one, code: one.code.replace(right, wrong) }));
    expect(compile(folder(), file, changed)).toMatch(error);
  });
});

interface Element {
  tagName?: string;
  attributes?: { name: string }[];
  slots?: { name: string }[];
}

describe('the pages of a document', () => {
  const manifest = JSON.parse(
    readFileSync(join(root, 'packages/widget/dist/custom-elements.json'), 'utf8'),
  ) as { modules: { declarations?: Element[] }[] };
  const elements = new Map(
    manifest.modules
      .flatMap(({ declarations = [] }) => declarations)
      .map(({ tagName, attributes = [], slots = [] }) => [
        tagName,
        {
          attributes: new Set(['id', 'slot', 'class', ...attributes.map(({ name }) => name)]),
          slots: new Set(slots.map(({ name }) => name)),
        },
      ]),
  );
  /** Files of `cdn/`; documents write "…" for the digest in a name. */
  const scripts = globSync('**/*.js', { cwd: join(root, 'packages/widget/cdn') }).map((name) =>
    name.replace(name.startsWith('immutable') ? /-[\w-]{10}\.js$/ : /-[\w-]{6}\.js$/, '-….js'),
  );

  /** Returns the attributes, slots and scripts of a page that do not exist. */
  function mistakesOf(html: string): string[] {
    const tags = Array.from(
      html.matchAll(/<(financing-[a-z]+)((?:\s+[\w-]+(?:="[^"]*")?)*)/g),
      ([, tag = '', attributes = '']) => ({ tag, attributes }),
    );
    const unknownAttributes = tags.flatMap(({ tag, attributes }) => {
      const names = Array.from(attributes.matchAll(/([\w-]+)(?:="[^"]*")?/g), ([, name]) => name);
      const known = elements.get(tag)?.attributes;
      if (!known) return [`<${tag}>`];
      return names.filter((name = '') => !known.has(name)).map((name) => `${name} of <${tag}>`);
    });
    const slots = Array.from(html.matchAll(/ slot="([^"]*)"/g), ([, slot = '']) => slot);
    const unknownSlots = slots
      .filter((slot) => !tags.some(({ tag }) => elements.get(tag)?.slots.has(slot)))
      .map((slot) => `slot ${slot}`);
    const sources = Array.from(html.matchAll(/ src="\/([^"]+\.js)"/g), ([, source = '']) => source);
    const missing = sources.filter((source) => !scripts.includes(source.replace(/^cdn\//, '')));
    const bare = Array.from(
      html.matchAll(/import\s[^;]*?'([^./'][^']*)'/g),
      ([, name = '']) => name,
    );
    return [...unknownAttributes, ...unknownSlots, ...missing, ...bare];
  }

  const pages = documents.flatMap((file) =>
    blocksOf(file, 'html').map((html, index) => ({ name: `${file} (${index})`, html })),
  );

  test.each(pages)('$name uses attributes, slots and scripts that exist', ({ html }) => {
    expect(mistakesOf(html)).toEqual([]);
  });

  test('control: names each thing that does not exist', () => {
    const page =
      '<script type="module" src="/financing.js"></script>' +
      '<script type="module">import \'@financing-checkout/widget/define\';</script>' +
      '<financing-checkout key="…" order="…"><a slot="other">Card</a></financing-checkout>';
    expect(mistakesOf(page)).toEqual([
      'key of <financing-checkout>',
      'slot other',
      'financing.js',
      '@financing-checkout/widget/define',
    ]);
  });
});

/** The module with the commands of each of our programs, and the name of its definition if the kit runs it. */
const programs: Record<string, { module: string; definition?: string }> = {
  'financing-companion': {
    module: 'packages/server/dist/node/cli/program.js',
    definition: 'companionProgram',
  },
  'financing-reconcile': {
    module: 'packages/reconciliation/dist/cli/program.js',
    definition: 'reconcileProgram',
  },
  'financing-sandbox': { module: 'packages/sandbox/dist/cli/program.js' },
};

/** Returns the help of each command of a program, which is loaded once. */
async function helpsOf(program: string, commands: string[][]): Promise<string[]> {
  const { module, definition } = programs[program] ?? raise(program);
  const kit = join(root, 'packages/kit/dist/cli/index.js');
  const script = `
const program = await import('${join(root, module)}');
const { processShell, runProgram } = await import('${kit}');
const run = program.runCommand ?? ((words) => runProgram(program.${definition}, words, processShell));
const write = process.stdout.write;
const helps = [];
for (const words of ${JSON.stringify(commands)}) {
  let help = '';
  process.stdout.write = (text) => (help += text) !== '';
  await run([...words, '--help']);
  helps.push(help);
}
process.stdout.write = write;
console.log(JSON.stringify(helps));`;
  const options = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return JSON.parse(stdout) as string[];
}

describe('the commands of a document', () => {
  /** Returns the commands of our programs: words before the first value, and options. */
  function commandsOf(file: string) {
    const lines = blocksOf(file, 'sh')
      .join('\n')
      .replaceAll(/\\\n\s*/g, ' ')
      .split('\n');
    return lines.flatMap((line) => {
      const code = line.replace(/\s#.*$/, '');
      const [, program = '', rest = ''] =
        /(?:^|[|;&(]\s*|npx )(financing-[a-z]+)((?:\s.*)?)$/.exec(code) ?? [];
      if (!(program in programs)) return [];
      const tokens = rest.trim().split(/\s+/);
      const end = tokens.findIndex((token) => !/^[a-z][a-z-]*$/.test(token));
      const words = end < 0 ? tokens : tokens.slice(0, end);
      const options = Array.from(rest.matchAll(/\s(--[a-z][a-z-]*)/g), ([, option = '']) => option);
      return [{ line: code.trim(), program, words, options }];
    });
  }

  test.each(Object.keys(programs))('of %s exist, with each of their options', async (program) => {
    const commands = documents.flatMap(commandsOf).filter((command) => command.program === program);
    expect(commands.length).toBeGreaterThan(5);
    const helps = await helpsOf(
      program,
      commands.map(({ words }) => words),
    );
    const unknown = commands.filter(({ words, options }, index) => {
      const help = helps[index] ?? '';
      // The help of an unknown command is that of the program.
      const isCommand = help.startsWith(['Usage:', program, ...words.slice(0, 1)].join(' '));
      return !isCommand || options.some((option) => !new RegExp(`${option}\\b(?!-)`).test(help));
    });
    expect(unknown.map(({ line }) => line)).toEqual([]);
  });
});

test('the data of documents is JSON', () => {
  const invalid = documents.flatMap((file) =>
    blocksOf(file, 'json').filter((text) => {
      try {
        JSON.parse(text);
        return false;
      } catch {
        return true;
      }
    }),
  );
  expect(invalid).toEqual([]);
});
