import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { rollup, type OutputOptions } from 'rollup';
import { onTestFinished } from 'vitest';
import { build, type InlineConfig, type Plugin, type Rolldown } from 'vite';

/** A test key with characters that each encoding treats differently. */
export const secret = 'sk+Test/0123.4567~89abcdef%41&<\\==';

/** Creates a folder with these files, which is removed after the test. */
export async function project(files: Record<string, string>): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'key-fence-')));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

export interface Log {
  warnings: string[];
}

/** Builds `src/main.js` of a project with Vite into `dist`. */
export async function viteBuild(
  root: string,
  plugins: Plugin[],
  { build: options, ...config }: InlineConfig = {},
): Promise<Log> {
  const warnings: string[] = [];
  await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins,
    ...config,
    build: {
      minify: false,
      ...options,
      rolldownOptions: {
        input: 'src/main.js',
        onLog: (level: string, log: Rolldown.RolldownLog) => {
          if (level === 'warn') warnings.push(log.message);
        },
        ...options?.rolldownOptions,
      },
    },
  });
  return { warnings };
}

/** Builds `src/main.js` of a project with Rollup into `dist`. */
export async function rollupBuild(
  root: string,
  plugins: Parameters<typeof rollup>[0]['plugins'],
  output: OutputOptions = {},
): Promise<Log> {
  const warnings: string[] = [];
  const bundle = await rollup({
    input: join(root, 'src/main.js'),
    plugins,
    onwarn: ({ message }) => warnings.push(message),
  });
  try {
    await bundle.write({ dir: join(root, 'dist'), ...output });
  } finally {
    await bundle.close();
  }
  return { warnings };
}

/** Returns the error message of a refused build; fails if the build succeeds. */
export async function refusal(building: Promise<unknown>): Promise<string> {
  const outcome = await building.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('The build was not refused.');
  return outcome.message;
}
