/* Lit's renderer outputs only the empty element; `renderMessage` renders its content. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it.each([
  ['alone', ''],
  ['with its shim of the DOM', `await import('@lit-labs/ssr/lib/install-global-dom-shim.js');`],
])('@lit-labs/ssr renders the message %s, without console output', async (_, before) => {
  const script = `${before}
    const { render } = await import('@lit-labs/ssr');
    const { collectResult } = await import('@lit-labs/ssr/lib/render-result.js');
    const { html } = await import('lit');
    await import('./src/message/define.ts');
    console.log(await collectResult(render(html\`<financing-message amount="89000" currency="USD"
      companion="https://companion.example"></financing-message>\`)));`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)) },
  );
  expect(stderr).toBe('');
  expect(stdout).toContain('</financing-message>');
  expect(stdout).not.toContain('part="text"');
});
