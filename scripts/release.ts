// `npm run release`: builds all packages and packs each one as it is published, into `release/`
// with a bill of materials, the notes of the version and SHA256SUMS. It packs exactly the commit: it refuses a working tree with changes and rebuilds
// everything, because `dist` of an earlier build may have files whose sources are gone.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { bundle } from './build.ts';
import { compile } from './compile.ts';
import { root } from './paths.ts';
import { makeTarballs, releaseNotes, writeBillOfMaterials, writeChecksums } from './tarballs.ts';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function release(): void {
  const changes = git('status', '--porcelain');
  if (changes !== '') {
    throw new Error(
      `The tree has changes, which no commit has. Commit them or put them away:\n${changes}`,
    );
  }
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const notes = releaseNotes(read('CHANGELOG.md'), version);
  for (const built of globSync('packages/*/{dist,cdn}', { cwd: root })) {
    rmSync(join(root, built), { recursive: true });
  }
  compile();
  bundle();
  const folder = join(root, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const notesFile = join(folder, 'NOTES.md');
  writeFileSync(notesFile, notes);
  const files = [
    ...makeTarballs(folder).map(({ file }) => file),
    writeBillOfMaterials(folder),
    notesFile,
  ];
  const checksums = writeChecksums(folder, files);
  console.log(`Version ${version}, commit ${git('rev-parse', 'HEAD')}:`);
  for (const file of [...files, checksums]) {
    console.log(`  release/${basename(file)} (${Math.ceil(statSync(file).size / 1024)} KiB)`);
  }
}

try {
  release();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
