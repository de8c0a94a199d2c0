/* Checks of the house that `npm test` leaves out while nothing that they look at has changed. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The files that slow checks look at, besides their own folder and the lockfile, as pathspecs of git.
 * What a check compiles, packs or installs of the packages are their manifests and their exports.
 */
const manifests = [':(glob)packages/*/package.json', ':(glob)packages/*/src/**/index.ts'];
const widget = ['packages/contract', 'packages/ticket', 'packages/widget', 'scripts'];
export const houseChecks: Readonly<Record<string, readonly string[]>> = {
  'tests/boundaries/deploy.test.ts': [
    'deploy',
    'docs',
    'packages/server',
    'packages/reconciliation',
  ],
  'tests/boundaries/published.test.ts': [...manifests, 'scripts'],
  'tests/boundaries/release.test.ts': [...manifests, 'scripts'],
  'tests/boundaries/resolvers.test.ts': [...manifests, 'scripts'],
  'tests/boundaries/strangers.test.ts': [...manifests, 'scripts'],
  'tests/boundaries/toolchain.test.ts': [...manifests, 'scripts'],
  'tests/boundaries/types.test.ts': [...manifests, 'scripts'],
  'packages/widget/frameworks/frameworks.node.test.ts': widget,
  'packages/widget/metadata/package.node.test.ts': widget,
};

/** Files of every check: the versions of all tools are in them. */
const ofAll = [
  'package.json',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  ':(glob)tests/boundaries/*.ts',
];

type Digests = Record<string, string>;

/** Returns the SHA-256 of all files of a check by its path; none without git. */
function digests(root: string, checks: typeof houseChecks): Digests {
  const filesOf = (pathspecs: readonly string[]) =>
    execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard', '--', ...pathspecs], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\0')
      .filter((file) => file !== '' && existsSync(join(root, file)))
      .sort();
  try {
    const known = new Map<string, string>();
    const digestOf = (file: string) => {
      const digest = known.get(file) ?? sha256(readFileSync(join(root, file)));
      known.set(file, digest);
      return digest;
    };
    const machine = [process.version, process.platform, process.arch];
    return Object.fromEntries(
      Object.entries(checks).map(([check, inputs]) => {
        const files = filesOf([check, ...inputs, ...ofAll]);
        return [
          check,
          sha256(JSON.stringify([machine, files.map((file) => [file, digestOf(file)])])),
        ];
      }),
    );
  } catch {
    return {};
  }
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** The checks of the house, and which of them have passed with the same files. */
export class HouseChecks {
  readonly #file: string;
  readonly #now: Digests;
  readonly #passed: Digests;

  /** @param file JSON with the digests with which the checks passed */
  constructor(root: string, file: string, checks = houseChecks) {
    this.#file = file;
    this.#now = digests(root, checks);
    this.#passed = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Digests) : {};
  }

  /** Paths of the checks whose files are those of the last run that passed. */
  get unchanged(): string[] {
    return Object.keys(this.#now).filter((check) => this.#passed[check] === this.#now[check]);
  }

  /** Records the checks that have passed. @param results whether each test file passed, by its path */
  record(results: ReadonlyMap<string, boolean>): void {
    const passed = { ...this.#passed };
    for (const [check, digest] of Object.entries(this.#now)) {
      const result = results.get(check);
      if (result !== undefined) passed[check] = result ? digest : '';
    }
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, `${JSON.stringify(passed, undefined, 2)}\n`);
  }
}
