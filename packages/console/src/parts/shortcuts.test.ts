import { html } from 'lit';
import { beforeEach, expect, it, vi } from 'vitest';
import { elementWith } from './element.ts';
import { keyShortcut, Shortcuts } from './shortcuts.ts';

const run = vi.fn();

class TestPage extends elementWith({}) {
  readonly shortcuts = new Shortcuts(this, () => [
    { keys: ['j', 'arrowdown'], text: 'Next', run },
    { keys: ['enter'], text: 'Open' },
  ]);

  protected override render() {
    return html`<button>A</button><input /><textarea></textarea
      ><select></select
      ><input type="checkbox" />
      <div contenteditable="true">text</div>
      ${this.shortcuts.button()}`;
  }
}
customElements.define('test-shortcuts', TestPage);

beforeEach(() => {
  run.mockReset();
});

async function mounted() {
  const page = document.createElement('test-shortcuts') as TestPage;
  document.body.append(page);
  await page.updateComplete;
  const press = (key: string, selector = 'button', more: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
    page.querySelector(selector)?.dispatchEvent(event);
    return event;
  };
  return { page, press };
}

it('acts on its keys, in any case, and on no other', async () => {
  const { press } = await mounted();
  expect(press('j').defaultPrevented).toBe(true);
  press('J');
  press('ArrowDown');
  expect(run).toHaveBeenCalledTimes(3);
  expect(press('x').defaultPrevented).toBe(false);
  expect(press('Enter').defaultPrevented).toBe(false);
  expect(run).toHaveBeenCalledTimes(3);
});

it.each(['input', 'textarea', 'select', '[contenteditable]'])('never acts in %s', async (field) => {
  const { press } = await mounted();
  expect(press('j', field).defaultPrevented).toBe(false);
  expect(press('?', field).defaultPrevented).toBe(false);
  expect(run).not.toHaveBeenCalled();
});

it('acts on a checkbox, which takes no text', async () => {
  const { press } = await mounted();
  press('j', '[type=checkbox]');
  expect(run).toHaveBeenCalledOnce();
});

it.each(['ctrlKey', 'metaKey', 'altKey'] as const)(
  'leaves keys with %s to the browser',
  async (modifier) => {
    const { press } = await mounted();
    press('j', 'button', { [modifier]: true });
    expect(run).not.toHaveBeenCalled();
  },
);

it('acts no more after its page is gone', async () => {
  const { page } = await mounted();
  page.remove();
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
  expect(run).not.toHaveBeenCalled();
});

it('lists the keys, acts on none behind the list, and lets a person turn them off', async () => {
  const { page, press } = await mounted();
  press('?');
  const dialog = () => page.querySelector('dialog');
  await expect.poll(() => dialog()?.open).toBe(true);
  expect(dialog()?.textContent.replaceAll(/\s+/g, ' ')).toContain('J ↓ Next Enter Open');
  press('j');
  expect(run).not.toHaveBeenCalled();
  dialog()?.querySelector<HTMLElement>('[type=checkbox]')?.click();
  dialog()?.close();
  await expect.poll(dialog).toBeNull();
  press('j');
  press('?');
  expect(run).not.toHaveBeenCalled();
  expect(dialog()).toBeNull();
  expect(keyShortcut('j')).toBeUndefined();
  // The visible button remains, to turn them on again.
  page.querySelector<HTMLElement>('button.plain')?.click();
  await expect.poll(() => dialog()?.open).toBe(true);
  dialog()?.querySelector<HTMLElement>('[type=checkbox]')?.click();
  dialog()?.close();
  await expect.poll(dialog).toBeNull();
  press('j');
  expect(run).toHaveBeenCalledOnce();
});
