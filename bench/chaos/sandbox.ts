import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import getPort from 'get-port';
import { root } from '../../scripts/paths.ts';
import { startProgram, untilReady } from '../../scripts/processes.ts';

/** Starts a sandbox in a folder, on free ports. */
export async function startSandbox(folder: string) {
  const [api, hosted, control] = [await getPort(), await getPort(), await getPort()];
  const dataDir = join(folder, 'sandbox');
  mkdirSync(dataDir);
  const ports = { '--api-port': api, '--hosted-port': hosted, '--control-port': control };
  const program = startProgram({
    name: 'sandbox',
    file: join(root, 'packages', 'sandbox', 'dist', 'main.js'),
    args: ['serve', '--data-dir', dataDir, ...Object.entries(ports).flat().map(String)],
    cwd: folder,
    env: {},
  });
  const controlUrl = `http://127.0.0.1:${control}`;
  await untilReady(program, `${controlUrl}/health`);
  return {
    program,
    apiUrl: `https://localhost:${api}`,
    hostedUrl: `http://localhost:${hosted}`,
    publicKey: readFileSync(join(dataDir, 'keys', 'sandbox.public'), 'utf8').trim(),
    /** Writes the sandbox's database into a file. @returns its name */
    async state(file: string): Promise<string> {
      const token = readFileSync(join(dataDir, 'control-token'), 'utf8').trim();
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${controlUrl}/state`, { headers });
      if (!response.ok) throw new Error(`/state answered ${response.status}.`);
      writeFileSync(file, await response.bytes());
      return file;
    },
    async control(method: string, path: string, body?: object): Promise<unknown> {
      const response = await fetch(controlUrl + path, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
      return answer;
    },
  };
}
