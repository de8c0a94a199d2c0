import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import { describe, expect, it, test } from 'vitest';
import { fingerprint, scan } from './index.ts';
import { project, secret } from './project.fixture.ts';

const hexKey = 'f3c9a1b7e5d2480691bc7fe3a0d4c856';
const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));

async function run(args: string[], env: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [program, ...args], { env });
  child.stdin.end(input);
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { out, err, code };
}

describe('key-fence fingerprint', () => {
  it('prints only the fingerprint of a key from a file or standard input', async () => {
    const root = await project({ 'the.key': `${secret}\n` });
    const ways = [run(['fingerprint', join(root, 'the.key')]), run(['fingerprint'], {}, secret)];
    for (const { out, err, code } of await Promise.all(ways)) {
      expect([err, code]).toEqual(['', 0]);
      expect(scan(secret, { fingerprints: [out.trim()] })).toHaveLength(1);
    }
  });

  it('refuses a weak key without repeating it', async () => {
    const { out, err, code } = await run(['fingerprint'], {}, 'too-short');
    expect([out, code]).toEqual(['', 2]);
    expect(err).toContain('too weak');
    expect(err).not.toContain('too-short');
  });

  it('does not repeat a key that was passed instead of a file name', async () => {
    const argument = await run(['fingerprint', hexKey]);
    expect([argument.out, argument.code]).toEqual(['', 2]);
    expect(argument.err).toContain('cannot be read (ENOENT)');
    expect(argument.err).not.toContain(hexKey);
    const variable = await run(['scan', '/tmp'], { KEY_FENCE_SECRET_FILE: hexKey });
    expect([variable.out, variable.code]).toEqual(['', 2]);
    expect(variable.err).toContain('KEY_FENCE_SECRET_FILE');
    expect(variable.err).not.toContain(hexKey);
  });
});

test.each(['--help', '-h'])('key-fence %s prints the usage and succeeds', async (flag) => {
  const { out, err, code } = await run([flag]);
  expect([err, code]).toEqual(['', 0]);
  expect(out).toContain('key-fence scan <folder>');
});

describe('key-fence scan', () => {
  const env = { KEY_FENCE_FINGERPRINT: fingerprint(secret) };

  it('fails for a folder that contains the key, and passes for one without it', async () => {
    const root = await project({ 'bad/a.js.map': JSON.stringify([secret]), 'good/a.js': '1' });
    const bad = await run(['scan', join(root, 'bad')], env);
    expect(bad.code).toBe(1);
    expect(bad.err).toContain('a.js.map: holds the key fingerprints[0]');
    expect(bad.err).not.toContain(secret);
    const good = await run(['scan', join(root, 'good')], env);
    expect([good.err, good.code]).toEqual(['', 0]);
    expect(good.out).toContain('no key found');
  });

  test.each([
    [['scan', '/tmp'], {}, 'No key is configured'],
    [['scan', '/nowhere/dist'], env, 'ENOENT'],
    [['scan', '/tmp'], { KEY_FENCE_FINGERPRINT: 'kf1' }, 'not a fingerprint'],
    [['scan'], env, 'Usage'],
    [['scan', 'a', 'b'], env, 'Usage'],
    [['fingerprint', '/nowhere/key'], {}, 'ENOENT'],
    [[], {}, 'Usage'],
  ])('does not pass if nothing was searched: %j %j', async (args, env, says) => {
    const { out, err, code } = await run(args, env);
    expect([out, code]).toEqual(['', 2]);
    expect(err).toContain(says);
  });
});
