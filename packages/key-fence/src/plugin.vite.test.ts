import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadEnv, type InlineConfig, type Plugin } from 'vite';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { fingerprint, keyFence, scanFolder } from './index.ts';
import { project, refusal, secret, viteBuild } from './project.fixture.ts';

const keys = { fingerprints: [fingerprint(secret)] };

interface Plant {
  files: Record<string, string>;
  config?: InlineConfig;
  /** Texts that the error must contain. */
  says: RegExp;
}

const text = JSON.stringify(secret);
const print = (expression: string) => `document.title = String(${expression});\n`;

/** Realistic ways for a key to get into Vite's output. */
const plants: Record<string, Plant> = {
  'a literal': {
    files: { 'src/main.js': "import './config.js';", 'src/config.js': print(text) },
    says: /main-.*\.js: holds the key fingerprints\[0\].*\n.*src\/config\.js ← .*src\/main\.js/,
  },
  'define of one name': {
    files: { 'src/main.js': print('KEY') },
    config: { define: { KEY: text } },
    says: /main-.*\.js: holds the key/,
  },
  'define of the whole environment': {
    files: { 'src/main.js': print('process.env.OTHER ?? process.env') },
    config: { define: { 'process.env': { OTHER: null, PRIVATE_KEY: secret } } },
    says: /main-.*\.js: holds the key/,
  },
  'import.meta.env': {
    files: {
      'src/main.js': print('import.meta.env.VITE_PRIVATE_KEY'),
      '.env': `VITE_PRIVATE_KEY='${secret}'`,
    },
    says: /main-.*\.js: holds the key/,
  },
  'a JSON import': {
    files: {
      'src/main.js': `import config from './config.json';\n${print('config.service.key')}`,
      'src/config.json': JSON.stringify({ service: { key: secret } }),
    },
    says: /config\.json ← .*main\.js/,
  },
  'a JSON import, as Vite makes a string of it': {
    files: {
      'src/main.js': `import config from './config.json';\n${print('config')}`,
      'src/config.json': JSON.stringify({ key: secret, more: 'x'.repeat(20_000) }),
    },
    says: /main-.*\.js: holds the key/,
  },
  'an asset of its own': {
    files: {
      'src/main.js': `import url from './notes.txt?url';\n${print('url')}`,
      'src/notes.txt': `${'word '.repeat(2000)}${secret}`,
    },
    says: /notes-.*\.txt: holds the key fingerprints\[0\]\n/,
  },
  'an asset inlined as base64': {
    files: {
      'src/main.js': `import url from './notes.bin?inline';\n${print('url')}`,
      'src/notes.bin': `x${secret}`,
    },
    config: { assetsInclude: ['**/*.bin'] },
    says: /main-.*\.js: holds the key fingerprints\[0\], as base64\n.*notes\.bin/,
  },
  'an asset inlined as URI': {
    files: {
      'src/main.js': `import url from './picture.svg?inline';\n${print('url')}`,
      'src/picture.svg': `<svg xmlns="http://www.w3.org/2000/svg"><!-- ${secret} --></svg>`,
    },
    says: /main-.*\.js: holds the key fingerprints\[0\], as .*URI/,
  },
  'a comment that only the source map keeps': {
    files: { 'src/main.js': `// ${secret}\n${print('1')}` },
    config: { build: { sourcemap: true, minify: true } },
    says: /main-.*\.js\.map: holds the key .*string escapes\n.*main\.js/,
  },
  'a hidden source map': {
    files: { 'src/main.js': `// ${secret}\n${print('1')}` },
    config: { build: { sourcemap: 'hidden', minify: true } },
    says: /main-.*\.js\.map: holds the key/,
  },
  'an inlined source map': {
    files: { 'src/main.js': `// ${secret}\n${print('1')}` },
    config: { build: { sourcemap: 'inline', minify: true } },
    says: /holds the key/,
  },
  'a style sheet': {
    files: {
      'src/main.js': "import './style.css';",
      'src/style.css': `body::after { content: ${text}; }`,
    },
    says: /\.css: holds the key/,
  },
  'the page': {
    files: {
      'index.html': `<script type="module" src="/src/main.js"></script><p title="${secret.replaceAll('&', '&amp;')}">`,
      'src/main.js': print('1'),
    },
    config: { build: { rolldownOptions: { input: 'index.html' } } },
    says: /index\.html: holds the key .*HTML/,
  },
  'the public folder': {
    files: { 'src/main.js': print('1'), 'public/.well-known/settings.json': text },
    says: /\.well-known\/settings\.json \(in .*public\): holds the key/,
  },
  'a chunk that is loaded later': {
    files: {
      'src/main.js': `import('./later.js').then(console.log);`,
      'src/later.js': `export default ${text};`,
    },
    says: /later-.*\.js: holds the key .*\n.*later\.js ← .*main\.js/,
  },
};

describe('Vite: refuses a build that would publish the key', () => {
  test.each(Object.entries(plants))('%s', async (_, { files, config, says }) => {
    const root = await project(files);
    await viteBuild(root, [], config);
    // Control: without the fence, the output contains the planted key.
    expect(await scanFolder(join(root, 'dist'), { secrets: [secret] })).not.toEqual([]);

    const message = await refusal(viteBuild(root, [keyFence(keys)], config));
    expect(message).toMatch(says);
    expect(message).toContain('rotate the private key');
    expect(message).not.toContain(secret);
    expect(message).not.toContain('written already');
  });

  it('also when another plugin writes the key last, with a note that the key is on disk', async () => {
    const late: Plugin = {
      name: 'late',
      writeBundle: ({ dir = '' }) => writeFile(join(dir, 'assets/main.js.map'), text),
    };
    const root = await project({ 'src/main.js': print('1') });
    const config = {
      build: { rolldownOptions: { output: { entryFileNames: 'assets/main.js' } } },
    };
    const message = await refusal(viteBuild(root, [keyFence(keys), late], config));
    expect(message).toMatch(/main\.js\.map: holds the key/);
    expect(message).toContain(`delete ${join(root, 'dist')}`);
  });

  it('and a key in a file name is found but not repeated', async () => {
    const key = 'name-key-0123456789';
    const root = await project({
      'src/main.js': `import('./${key}.js');`,
      [`src/${key}.js`]: 'export {}; console.log(1);',
    });
    const message = await refusal(viteBuild(root, [keyFence({ secrets: [key] })]));
    expect(message).toContain('name withheld');
    expect(message).not.toContain(key);
  });
});

describe('Vite: a key in a variable named like a private key', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is found when the bundler receives the whole environment', async () => {
    vi.stubEnv('FINANCING_PRIVATE_API_KEY', secret);
    const root = await project({ 'src/main.js': print('process.env') });
    const config = { define: { 'process.env': JSON.stringify({ ...process.env }) } };
    const message = await refusal(viteBuild(root, [keyFence()], config));
    expect(message).toMatch(/main-.*\.js: holds the key secrets\[0\]/);
    expect(message).not.toContain(secret);
  });

  test.each([
    ['VITE_PRIVATE_API_KEY', undefined],
    ['FINANCING_PRIVATE_API_KEY_NEXT', 'FINANCING_'],
  ])('is found when Vite may expose %s to a page', async (name, envPrefix) => {
    const root = await project({
      'src/main.js': print(`import.meta.env.${name}`),
      '.env': `${name}='${secret}'`,
    });
    const config = envPrefix === undefined ? {} : { envPrefix };
    const message = await refusal(viteBuild(root, [keyFence()], config));
    expect(message).toMatch(/main-.*\.js: holds the key secrets\[0\]/);
  });

  it.each(['.env', '.env.production.local'])(
    'is searched for when the configuration reads it from %s and defines it',
    async (file) => {
      const root = await project({
        'src/main.js': print('KEY'),
        [file]: `FINANCING_PRIVATE_API_KEY='${secret}'`,
      });
      const { FINANCING_PRIVATE_API_KEY: key } = loadEnv('production', root, '');
      const config = { define: { KEY: JSON.stringify(key) } };
      const message = await refusal(viteBuild(root, [keyFence()], config));
      expect(message).toMatch(/main-.*\.js: holds the key secrets\[0\]/);
      expect(message).not.toContain(secret);
    },
  );

  it('is found without the trailing line break of a pasted value', async () => {
    vi.stubEnv('FINANCING_PRIVATE_API_KEY', ` ${secret}\n`);
    const root = await project({ 'src/main.js': print('KEY') });
    const message = await refusal(viteBuild(root, [keyFence()], { define: { KEY: text } }));
    expect(message).toMatch(/main-.*\.js: holds the key secrets\[0\]/);
  });

  it('is not searched for when the value cannot be a key', async () => {
    vi.stubEnv('FINANCING_PRIVATE_API_KEY', 'none');
    const root = await project({ 'src/main.js': print("'none'") });
    await expect(viteBuild(root, [keyFence()])).resolves.toBeDefined();
  });
});

const server = {
  'packages/server/package.json': JSON.stringify({
    name: '@financing-checkout/server',
    type: 'module',
    exports: { '.': './src/index.js', './ticket': './src/ticket.js' },
  }),
  'packages/server/src/index.js': "export { work } from './work.js';",
  'packages/server/src/work.js': print("'server code'") + 'export const work = 1;',
  'packages/server/src/ticket.js': print("'server code'") + 'export const work = 2;',
};

describe('Vite: refuses a build with a module of the companion, also without a key', () => {
  const install = async (root: string) => {
    const scope = join(root, 'node_modules/@financing-checkout');
    await mkdir(scope, { recursive: true });
    await symlink(join(root, 'packages/server'), join(scope, 'server'));
  };

  test.each([
    ['by its name', `import { work } from '@financing-checkout/server';\n${print('work')}`],
    ['by an entry', `import { work } from '@financing-checkout/server/ticket';\n${print('work')}`],
    ['by a path', `import { work } from '../packages/server/src/index.js';\n${print('work')}`],
    ['later', `import('@financing-checkout/server').then(console.log);`],
    ['for its effects', `import '../packages/server/src/work.js';`],
    ['by a link', `import { work } from './linked.js';\n${print('work')}`],
  ])('imported %s', async (_, main) => {
    const root = await project({ ...server, 'src/main.js': main });
    await install(root);
    await symlink(join(root, 'packages/server/src/work.js'), join(root, 'src/linked.js'));
    await viteBuild(root, []);

    const message = await refusal(viteBuild(root, [keyFence()]));
    expect(message).toMatch(/\.js: holds a module of @financing-checkout\/server\n.* ← .*main\.js/);
  });

  it('also with preserved symlinks, and when the browser loads the module', async () => {
    const root = await project({
      ...server,
      'src/main.js': `import { work } from '@financing-checkout/server';\n${print('work')}`,
    });
    await install(root);
    const kept = viteBuild(root, [keyFence()], { resolve: { preserveSymlinks: true } });
    expect(await refusal(kept)).toContain('holds a module of @financing-checkout/server');
    const left = viteBuild(root, [keyFence()], {
      build: { rolldownOptions: { external: [/^@financing-checkout/] } },
    });
    expect(await refusal(left)).toContain('in the browser, @financing-checkout/server');
  });

  test.each([
    ['by its own name', "new Worker(new URL('../packages/server/src/work.js', import.meta.url))"],
    ['by what it imports', "new Worker(new URL('./worker.js', import.meta.url))"],
    ['by an import of the worker', "import('./worker.js?worker')"],
  ])('also in a worker, %s', async (_, main) => {
    const worker = "import '../packages/server/src/work.js';";
    const root = await project({ ...server, 'src/main.js': main, 'src/worker.js': worker });
    const message = await refusal(viteBuild(root, [keyFence()]));
    expect(message).toMatch(/\.js: holds a module of @financing-checkout\/server/);
  });

  it('also when the module is emitted unchanged', async () => {
    const main = print("new URL('../packages/server/src/work.js', import.meta.url)");
    const root = await project({ ...server, 'src/main.js': main });
    const message = await refusal(
      viteBuild(root, [keyFence()], { build: { assetsInlineLimit: 0 } }),
    );
    expect(message).toMatch(/work-.*\.js: is a file of @financing-checkout\/server/);
  });

  it('and so is a build with a module that the merchant forbids', async () => {
    const files = { 'src/main.js': "import './own/a.js';", 'src/own/a.js': print('1') };
    const root = await project(files);
    const fence = keyFence({ forbiddenModules: [join(root, 'src/own')] });
    expect(await refusal(viteBuild(root, [fence]))).toContain(`holds a module of ${root}`);
  });

  it('but a server build may contain the module, never the key', async () => {
    const main = `import { work } from '@financing-checkout/server';\nexport default work;\n`;
    const root = await project({ ...server, 'src/main.js': main });
    await install(root);
    const ssr = { build: { ssr: true }, ssr: { noExternal: true as const } };
    await viteBuild(root, [keyFence(keys)], ssr);

    await writeFile(join(root, 'src/main.js'), `${main}export const key = ${text};`);
    expect(await refusal(viteBuild(root, [keyFence(keys)], ssr))).toContain('holds the key');
  });
});

describe('Vite: a clean build', () => {
  const files = {
    'index.html': '<script type="module" src="/src/main.js"></script>',
    'src/main.js': `import './style.css';\nimport url from './picture.svg';\n${print('url')}import('./later.js');`,
    'src/later.js': `export default ${JSON.stringify(secret.slice(1))};`,
    'src/style.css': 'body { color: red }',
    'src/picture.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'public/robots.txt': 'User-agent: *',
  };
  const config = { build: { sourcemap: true, rolldownOptions: { input: 'index.html' } } };

  it('passes silently when a key is configured', async () => {
    const root = await project(files);
    const { warnings } = await viteBuild(root, [keyFence(keys)], config);
    expect(warnings).toEqual([]);
    expect(await scanFolder(join(root, 'dist'), { secrets: [secret.slice(1)] })).not.toEqual([]);
  });

  it('warns once when no key is configured', async () => {
    const root = await project(files);
    const fence = keyFence();
    const first = await viteBuild(root, [fence], config);
    expect(first.warnings).toEqual([expect.stringContaining('No key is configured')]);
    expect((await viteBuild(root, [fence], config)).warnings).toEqual([]);
  });
});
