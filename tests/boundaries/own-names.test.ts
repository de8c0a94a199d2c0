/* No command of the project gets a package from a registry whose name anybody may register. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publishedNames } from '../../scripts/published-names.ts';
import { filesNamed, isOurs, namesFetchedBy, ownNames } from './own-names.ts';
import { root } from './tree.ts';

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Documents, and the sources that hold helps, errors, comments and pages. Tests have the attacks. */
const texts = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) =>
    /\.(?:md|mdx|[cm]?[jt]sx?|astro|vue|svelte|html|json|sh|py|php|ya?ml|service|tpl|txt)$|Dockerfile|\.env/.test(
      file,
    ),
  )
  .filter((file) => !/^tests\/|\.(?:test|fixture)\.ts$|pnpm-lock|package-lock/.test(file))
  .filter((file) => existsSync(join(root, file)));

describe('documents, helps and errors', () => {
  test('install and run none of our packages that are not published', () => {
    expect(texts.length).toBeGreaterThan(500);
    const found = texts.map((file) => [file, namesFetchedBy(read(file))] as const);
    expect(found.filter(([, names]) => names.length > 0)).toEqual([]);
  });

  test.each([
    'npx key-fence fingerprint private.key',
    'npx -y financing-reconcile doctor',
    'npx --yes --package=@financing-checkout/server financing-companion serve',
    'npx -p @financing-checkout/sandbox@0.3.0 financing-sandbox',
    'npm install @financing-checkout/widget',
    'npm i -g @financing-checkout/server@latest',
    'npm install express standardwebhooks @financing-checkout/ticket',
    'npm install express \\\n  @financing-checkout/ticket',
    'npm install --prefix ../shop kit@npm:@financing-checkout/kit',
    'npm exec -- key-fence scan dist',
    'npm init @financing-checkout',
    'npm create financing-checkout',
    'pnpm add -D @financing-checkout/key-fence',
    'pnpm --filter shop add @financing-checkout/ticket',
    'pnpm dlx financing-sandbox serve',
    'yarn global add @financing-checkout/server',
    'yarn dlx key-fence',
    'bunx key-fence',
    'deno install -g npm:@financing-checkout/server',
    "import { signOrderTicket } from 'npm:@financing-checkout/ticket@0.3.0';",
    '<script type="module" src="https://cdn.jsdelivr.net/npm/@financing-checkout/widget/cdn/x.js"></script>',
    'https://www.npmjs.com/package/@financing-checkout/widget#readme',
    '"dependencies": { "@financing-checkout/kit": "0.3.0" }',
    'The console is not built: install and build @financing-checkout/console.',
  ])('control: finds %j', (text) => {
    expect(namesFetchedBy(text).length).toBeGreaterThan(0);
  });

  test.each([
    'npx --no-install key-fence fingerprint private.key',
    'npx vitest run --project @financing-checkout/server prime',
    'npm install --prefix /opt/financing-companion ./financing-checkout-server-[0-9]*.tgz',
    'pnpm --filter @financing-checkout/console build',
    'pnpm exec key-fence',
    'node_modules/.bin/financing-companion serve',
    'npm install standardwebhooks',
    '"@financing-checkout/ticket": "file:../../release/financing-checkout-ticket-0.3.0.tgz"',
    '"@financing-checkout/ticket": "workspace:*"',
  ])('control: does not find %j', (text) => {
    expect(namesFetchedBy(text)).toEqual([]);
  });
});

test('each manifest of the repository refers to our packages by path', () => {
  const fields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];
  const named = filesNamed('package.json').flatMap((file) => {
    const manifest = JSON.parse(read(file)) as Record<string, Record<string, string> | undefined>;
    return fields.flatMap((field) =>
      Object.entries(manifest[field] ?? {}).map(([name, range]) => ({ file, name, range })),
    );
  });
  const ours = named.filter(({ name }) => isOurs(name) && !publishedNames.includes(name));
  expect(ours.length).toBeGreaterThan(40);
  expect(ours.filter(({ range }) => !/^(?:workspace|file):/.test(range))).toEqual([]);
});

test('the names to reserve are those of all packages and commands', () => {
  const text = read('docs/publishing.md');
  const isPublic = (name: string) => !/example|-shop$|-(?:bench|site)$|^pnpm-/.test(name);
  expect(ownNames.filter((name) => isPublic(name) && !text.includes(`\`${name}\``))).toEqual([]);
});
