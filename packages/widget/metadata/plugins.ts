import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { vsCodeData, webTypes } from './editors.ts';
import { hashesOf } from './hashes.ts';
import { analyze, folder } from './manifest.ts';

const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

function write(path: string, content: object): void {
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Writes `sri.json` next to the scripts after all scripts have been written. */
export function publishedHashes(): Plugin {
  let outDir = '';
  return {
    name: 'published-hashes',
    configResolved: ({ root, build }) => {
      outDir = resolve(root, build.outDir);
    },
    // Called once for each output; the last call sees all files.
    writeBundle: () => write(join(outDir, 'sri.json'), hashesOf(outDir, version)),
  };
}

/** Writes the data for editors and other tools into `dist/`. */
export function editorData(): Plugin {
  let written = false;
  return {
    name: 'editor-data',
    writeBundle: () => {
      if (written) return;
      written = true;
      const dist = join(folder, 'dist');
      mkdirSync(dist, { recursive: true });
      const manifest = analyze();
      write(join(dist, 'custom-elements.json'), manifest);
      write(join(dist, 'vscode.html-custom-data.json'), vsCodeData(manifest));
      write(join(dist, 'web-types.json'), webTypes(manifest, name, version));
    },
  };
}
