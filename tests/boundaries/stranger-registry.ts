/* A registry of npm packages on this machine, in which a stranger has every name of ours. */
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isOurs } from './own-names.ts';
import { root } from './tree.ts';

interface Version {
  version: string;
  /** Folder with the files of the package. */
  folder: string;
}

export interface StrangerRegistry {
  /** Paths of the requests for the stranger's packages. */
  asked: string[];
  /** Returns the stranger's package that was loaded or run last; undefined: none. */
  ran: () => string | undefined;
  /** Forgets what was asked for and run. */
  forget: () => void;
  /** Creates a project of a reader, without packages. */
  project: () => string;
  /** Runs a program of a reader, who uses this registry and has no caches. */
  run: (cwd: string, program: string, args: readonly string[]) => Promise<Result>;
  close: () => Promise<void>;
}

interface Result {
  /** Exit code. */
  status: number;
  output: string;
}

/**
 * Starts a registry that serves the libraries of the workspace, and under each name of ours a package that leaves a mark as
 * soon as it is loaded or run.
 * @param folder for packages and projects
 */
export async function startStrangerRegistry(folder: string): Promise<StrangerRegistry> {
  const mark = join(folder, 'stranger-ran');
  const asked: string[] = [];
  const archives = new Map<string, Buffer>();
  const archiveOf = (name: string, { version, folder: files }: Version) => {
    const key = `${name}@${version}`;
    const made = archives.get(key);
    if (made !== undefined) return made;
    // A copy: pnpm makes equal files of a package one file, and npm leaves out the links to it in an archive.
    const copy = join(mkdtempSync(join(folder, 'archive-')), 'package');
    cpSync(files, copy, { recursive: true, verbatimSymlinks: true });
    const { status, stdout, stderr } = spawnSync(
      'tar',
      ['cf', '-', '-C', dirname(copy), 'package'],
      {
        maxBuffer: 256 * 1024 * 1024,
      },
    );
    if (status !== 0) throw new Error(stderr.toString());
    const archive = gzipSync(stdout, { level: 1 });
    archives.set(key, archive);
    return archive;
  };
  const known = new Map<string, Version[]>();
  const versionsOf = (name: string) => {
    const found =
      known.get(name) ?? (isOurs(name) ? strangersOf(folder, name, mark) : librariesOf(name));
    known.set(name, found);
    return found;
  };

  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const [, name = '', version] = /^((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
    const versions = versionsOf(name);
    if (isOurs(name)) asked.push(path);
    if (versions.length === 0) {
      response.writeHead(404).end('{}');
      return;
    }
    const wanted = versions.find((one) => one.version === version);
    if (wanted !== undefined) {
      response.end(archiveOf(name, wanted));
      return;
    }
    // Yarn 1 takes no package without a digest; for the others, an archive is made only when they fetch it.
    const needsDigest = request.headers['user-agent']?.startsWith('yarn/1') === true;
    const origin = `http://${request.headers.host}`;
    const manifests = versions.map((one) => {
      const manifest = JSON.parse(readFileSync(join(one.folder, 'package.json'), 'utf8')) as object;
      const tarball = `${origin}/${name}/-/${one.version}.tgz`;
      return { ...manifest, dist: { tarball, ...(needsDigest && digestOf(archiveOf(name, one))) } };
    });
    const published = '2020-01-01T00:00:00.000Z';
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        name,
        'dist-tags': { latest: versions.at(-1)?.version },
        versions: Object.fromEntries(versions.map((one, at) => [one.version, manifests[at]])),
        // Package managers may refuse versions that are new.
        time: Object.fromEntries(
          ['created', 'modified', ...versions.map((one) => one.version)].map((one) => [
            one,
            published,
          ]),
        ),
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    ran: () => (existsSync(mark) ? readFileSync(mark, 'utf8') : undefined),
    forget() {
      rmSync(mark, { force: true });
      asked.length = 0;
    },
    project() {
      const project = mkdtempSync(join(folder, 'project-'));
      for (const [name, content] of Object.entries(settings(url))) {
        writeFileSync(join(project, name), content);
      }
      return project;
    },
    run: (cwd, program, args) =>
      new Promise((resolve) => {
        const home = join(cwd, '.home');
        // Without the variables of the package manager that runs this test.
        const env = {
          PATH: process.env.PATH,
          HOME: home,
          XDG_CACHE_HOME: home,
          XDG_DATA_HOME: home,
          YARN_GLOBAL_FOLDER: home,
          npm_config_cache: home,
          npm_config_registry: url,
        };
        execFile(program, args, { cwd, env }, (error, stdout, stderr) => {
          const status = error === null ? 0 : Number(error.code ?? -1);
          resolve({ status, output: stdout + stderr });
        });
      }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const digestOf = (archive: Buffer) => ({
  shasum: createHash('sha1').update(archive).digest('hex'),
});

/** Returns the files of a project that lead every package manager to a registry. */
function settings(url: string): Record<string, string> {
  return {
    'package.json': '{ "private": true, "type": "module" }',
    '.npmrc': `registry=${url}/\n`,
    '.yarnrc.yml': `npmRegistryServer: '${url}'\nunsafeHttpWhitelist: ['127.0.0.1']\nnodeLinker: node-modules\nenableTelemetry: false\n`,
    // Yarn 4 takes a folder with a lockfile as a project of its own.
    'yarn.lock': '',
  };
}

/** Returns the versions of a library that pnpm has installed in the workspace. */
function librariesOf(name: string): Version[] {
  const installed = join(root, 'node_modules/.pnpm');
  const pattern = `${name.replace('/', '+')}@*/node_modules/${name}/package.json`;
  const found = new Map(
    globSync(pattern, { cwd: installed }).map((file) => {
      const { version } = JSON.parse(readFileSync(join(installed, file), 'utf8')) as Version;
      return [version, dirname(join(installed, file))];
    }),
  );
  return Array.from(found, ([version, folder]) => ({ version, folder }));
}

/** Returns a stranger's package: our version, and one that is newer than all of ours. */
function strangersOf(folder: string, name: string, mark: string): Version[] {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Version;
  return [version, '99.0.0'].map((own) => {
    const files = join(mkdtempSync(join(folder, 'stranger-')), 'package');
    mkdirSync(files);
    const command = name.replace(/^@[^/]+\//, '');
    const exports = { '.': './index.cjs', './*': './index.cjs' };
    const manifest = { name, version: own, exports, bin: { [command]: 'index.cjs' } };
    writeFileSync(join(files, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      join(files, 'index.cjs'),
      `#!/usr/bin/env node\nrequire('node:fs').writeFileSync(${JSON.stringify(mark)}, '${name}');\n`,
      { mode: 0o755 },
    );
    return { version: own, folder: files };
  });
}
