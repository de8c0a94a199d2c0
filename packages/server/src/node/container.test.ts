import { execFile } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { builtinModules } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, matchesGlob, posix } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { readConfiguration } from '../config/config.ts';
import { run, serve } from './command.fixture.ts';

// Containers cannot be built in the test environment, so these tests replay the steps of the
// Dockerfile.
const root = join(import.meta.dirname, '..', '..');
const workspace = join(root, '..', '..');
const lines = readFileSync(join(workspace, 'deploy/Dockerfile'), 'utf8')
  .replaceAll('\\\n', '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const stages = lines
  .join('\n')
  .split(/^(?=FROM )/m)
  .map((stage) => stage.split('\n').filter((line) => line !== ''));
const runtime = stages.find(([from]) => from?.endsWith(' AS runtime')) ?? [];
// The last stage is the default target.
const image = runtime.concat(stages.at(-1) ?? []);
const last = (instruction: string) =>
  image.findLast((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? '';
const words = (text: string) =>
  z.array(z.string()).parse(JSON.parse(text.slice(text.indexOf('['))));
const manifest = z
  .object({
    bin: z.object({ 'financing-companion': z.string() }),
    dependencies: z.record(z.string(), z.string()),
  })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** Environment variables of the image. */
const environment = Object.fromEntries(
  image
    .filter((line) => line.startsWith('ENV '))
    .flatMap((line) =>
      Array.from(line.matchAll(/(\w+)=(\S+)/g), ([, name = '', value = '']) => [name, value]),
    ),
);

function exitCode([program = '', ...args]: string[], env: Record<string, string>): Promise<number> {
  const command = program === 'node' ? process.execPath : program;
  return new Promise((resolve) => {
    execFile(command, args, { env: { PATH: process.env.PATH ?? '', ...env } }, (error) =>
      resolve(typeof error?.code === 'number' ? error.code : 0),
    );
  });
}

describe('the image', () => {
  test('runs as a numeric non-root user, which Kubernetes can check, after the last build step', () => {
    const user = image.findIndex((line) => line.startsWith('USER '));
    const others = image.flatMap((line, at) => (line.startsWith('RUN ') ? [at] : []));
    expect(image.filter((line) => line.startsWith('USER '))).toEqual(['USER 1000:1000']);
    // Root creates the folder. Code belongs to root: COPY does not depend on USER.
    expect(Math.max(...others)).toBeLessThan(user);
    expect(user).toBeLessThan(image.findIndex((line) => line.startsWith('ENTRYPOINT ')));
    expect(image.filter((line) => /^(COPY|ADD) /.test(line))).toEqual([
      'COPY --from=build /companion /companion',
    ]);
    expect(image.join('\n')).toContain('chown 1000:1000 /data');
    expect([last('WORKDIR'), last('VOLUME')]).toEqual(['/data', '/data']);
  });

  test('runs the published command without npm in between', () => {
    const path = join('/companion', manifest.bin['financing-companion']);
    const [node, ...options] = words(last('ENTRYPOINT'));
    expect([node, options.pop()]).toEqual(['node', path]);
    expect(options.every((option) => option.startsWith('--'))).toBe(true);
    expect(words(last('CMD'))).toEqual(['serve']);
  });

  test('uses a supported Node in each stage, and is not built without its digest', () => {
    // Docker refuses "node:24-slim@": the digest has no default, so that a build without a digest
    // fails.
    expect(lines.filter((line) => line.startsWith('ARG '))).toEqual([
      'ARG NODE_IMAGE=node:24-slim',
      'ARG NODE_DIGEST',
    ]);
    const bases = lines.filter((line) => line.startsWith('FROM '));
    expect(bases.map((line) => line.split(' ')[1])).toEqual([
      '${NODE_IMAGE}@${NODE_DIGEST}',
      '${NODE_IMAGE}@${NODE_DIGEST}',
      ...['runtime', 'runtime', 'runtime'],
    ]);
    // An ARG before the first FROM is in scope for every FROM.
    expect(lines[2]).toBe(bases[0]);
  });
});

test('the image does not take secrets as build arguments or variables', () => {
  const text = lines.join('\n');
  expect(text).not.toMatch(/^(?:ARG|ENV) .*(?:KEY|SECRET|TOKEN)/m);
});

describe('the build context', () => {
  const patterns = readFileSync(join(workspace, 'deploy/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const isLeftOut = (path: string) =>
    patterns.some((pattern) =>
      path
        .split('/')
        .some((_, at, parts) => matchesGlob(parts.slice(0, at + 1).join('/'), pattern)),
    );

  test.each([
    '.data/sandbox/keys/sandbox.private',
    'packages/server/.data/key',
    '.git/config',
    '.env',
    'packages/server/.env.local',
    'companion.db',
    'examples/shop/shop.db-wal',
    'secrets/private-key',
    'node_modules/hono/package.json',
    'packages/server/dist/index.js',
  ])('excludes %s', (path) => {
    expect(isLeftOut(path)).toBe(true);
  });

  test('includes the lockfile, the build settings and every package', () => {
    const needed = [
      'package.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      'scripts/pnpm.mjs',
      'scripts/pnpm/package.json',
      'scripts/pnpm/package-lock.json',
      'tsconfig.base.json',
      ...readdirSync(join(workspace, 'packages')).flatMap((name) => [
        `packages/${name}/package.json`,
        `packages/${name}/tsconfig.json`,
      ]),
      ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map(
        (file) => `packages/server/src/${file}`,
      ),
    ];
    for (const path of needed) {
      expect([path, existsSync(join(workspace, path))]).toEqual([path, true]);
      expect([path, isLeftOut(path)]).toEqual([path, false]);
    }
  });
});

describe('the deployed package', () => {
  let files: string[];
  beforeAll(async () => {
    // The list of files that npm would publish; nothing is downloaded.
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'],
      { cwd: root },
    );
    const [packed] = z
      .array(z.object({ files: z.array(z.object({ path: z.string() })) }))
      .parse(JSON.parse(stdout));
    files = packed?.files.map(({ path }) => path) ?? [];
  });

  test('contains the command and all its imports, and no test, key or store', () => {
    expect(files).toContain(posix.normalize(manifest.bin['financing-companion']));
    for (const file of files.filter((path) => /^dist\/.*\.js$/.test(path))) {
      const text = readFileSync(join(root, file), 'utf8');
      const imports = text.matchAll(/^(?:import|export) (?:[^'"]* from )?'([^']+)';$/gm);
      for (const [, specifier = ''] of imports) {
        if (specifier.startsWith('.')) {
          expect(files).toContain(join(dirname(file), specifier));
        } else if (!specifier.startsWith('node:')) {
          const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '';
          expect(builtinModules).not.toContain(name);
          expect(Object.keys(manifest.dependencies)).toContain(name);
        }
      }
    }
    expect(files.filter((path) => /\.test\.|\.env|\.db|secrets?\/|\.pem$/.test(path))).toEqual([]);
  });

  test('starts with its production dependencies alone, as another user', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'container-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
    const companion = join(folder, 'companion');
    for (const file of files) cpSync(join(root, file), join(companion, file));
    for (const name of Object.keys(manifest.dependencies)) {
      const link = join(companion, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), link);
    }
    const data = join(folder, 'data');
    mkdirSync(data);
    chmodSync(folder, 0o755);
    const isRoot = process.getuid?.() === 0;
    const { variables, upstream } = await serve((_, response) => response.end());
    chmodSync(upstream.folder, 0o755);
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, readFileSync(variables.FINANCING_CA_FILE));
    const key = join(folder, 'private-key');
    writeFileSync(key, readFileSync(variables.FINANCING_PRIVATE_API_KEY_FILE), { mode: 0o400 });
    if (isRoot) for (const path of [data, key]) chownSync(path, 1000, 1000);

    const entry = words(last('ENTRYPOINT')).at(-1) ?? '';
    const main = entry.replace('/companion', companion);
    const env = {
      ...variables,
      ...environment,
      COMPANION_STORE: (environment.COMPANION_STORE ?? '').replace('/data', data),
      FINANCING_CA_FILE: ca,
      FINANCING_PRIVATE_API_KEY_FILE: key,
    };
    const { output } = run(words(last('CMD')), env, [], {
      main,
      cwd: data,
      ...(isRoot ? { uid: 1000, gid: 1000 } : {}),
    });
    await expect.poll(() => output.text).toContain('back office');
    expect(readdirSync(data)).toContain('companion.db');
    expect(environment.NODE_ENV).toBe('production');
  });
});

describe('the health check', () => {
  const check = words(last('HEALTHCHECK'));

  test.each([
    [200, 0],
    [503, 1],
  ])('maps a readiness status of %i to exit code %i', async (status, code) => {
    const asked: (string | undefined)[] = [];
    const backOffice = createServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(status).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void backOffice.close());
    await once(backOffice, 'listening');
    const { port } = backOffice.address() as AddressInfo;
    expect(await exitCode(check, { COMPANION_BACK_OFFICE_PORT: String(port) })).toBe(code);
    expect(asked).toEqual(['/readyz']);
  });

  test('fails while nothing listens', async () => {
    expect(await exitCode(check, { COMPANION_BACK_OFFICE_PORT: '1' })).toBe(1);
  });

  test('uses the default hosts and ports of a companion', () => {
    const { backOffice, storefront } = readConfiguration(
      {
        FINANCING_ENVIRONMENT: 'sandbox',
        FINANCING_BASE_URL: 'https://service.example',
        FINANCING_PUBLIC_API_KEY: 'public-key-0123456789',
        FINANCING_PRIVATE_API_KEY: 'private-key-0123456789',
        ORDER_TICKET_SECRET: 'x'.repeat(32),
        COMPANION_ALLOWED_ORIGINS: 'https://shop.example',
        ...environment,
      },
      () => '',
    );
    expect(check.join(' ')).toContain(`COMPANION_BACK_OFFICE_PORT || ${backOffice.port}}/readyz`);
    // The back office listens on loopback; only the storefront is reachable from outside.
    expect([backOffice.host, storefront.host]).toEqual(['127.0.0.1', '0.0.0.0']);
    expect(last('EXPOSE')).toBe(String(storefront.port));
  });
});
