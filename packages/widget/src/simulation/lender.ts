import { aborted } from '../platform/abort.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Ending, Shown, Stage } from '../presentations/presentation.ts';

const sheet = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 1.5rem; }
  h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 0.5rem; }
  p { margin: 0 0 1.25rem; }
  button {
    display: block; inline-size: 100%; min-block-size: 3rem; margin-block-end: 0.75rem;
    border: 1px solid; border-radius: 10px; background: none; color: inherit; font: inherit;
  }
  #finish { background: CanvasText; color: Canvas; font-weight: 600; }
`;

/** Settings of a simulated lender's page. */
interface SimulatedLender {
  /** Name of the scenario, shown in the page. */
  readonly name: string;
  /** How the page ends, or why it cannot be used. */
  readonly lender: NonNullable<Scenario['lender']>;
  /** Called when the shopper completes the page. @returns the end of the presentation */
  readonly onFinish: () => Ending;
}

/**
 * Simulates the lender's page in an empty frame. Builds the frame's DOM without markup, scripts or
 * a URL, so that nothing is requested and no content security policy blocks it.
 */
export function simulateLender(
  { name, lender, onFinish }: SimulatedLender,
  { signal, onModal, onReady, onSilent }: Stage,
  container: Element,
): Shown {
  let settle: (ending: Ending) => void;
  const chosen = new Promise<Ending>((resolve) => (settle = resolve));
  const leave = () => settle({ type: 'ended', reason: 'cancelled' });
  const shown = { end: Promise.race([chosen, aborted(signal)]), askToClose: leave };
  if (lender === 'away') {
    onModal().catch(() => undefined);
    return { ...shown, focus: () => undefined };
  }
  const frame = document.createElement('iframe');
  frame.part.add('frame');

  const write = () => {
    const page = frame.contentDocument;
    const view = page?.defaultView;
    if (!page || !view || lender === 'mute') return;
    page.title = 'Example lender';
    page.documentElement.lang = 'en';
    // A style sheet belongs to the document whose window constructed it.
    const own = new view.CSSStyleSheet();
    own.replaceSync(sheet);
    page.adoptedStyleSheets = [own];
    const put = (tag: 'h1' | 'p' | 'button', text: string) => {
      const element = page.createElement(tag);
      element.textContent = text;
      page.body.append(element);
      return element;
    };
    page.body.replaceChildren();
    put('h1', 'Example lender');
    put('p', `Scenario “${name}”: nothing leaves this page, and nobody is charged.`);
    const finish = put('button', 'Go through with it');
    finish.id = 'finish';
    finish.onclick = () => settle(onFinish());
    const back = put('button', 'Leave');
    back.id = 'leave';
    back.onclick = leave;
    page.onkeydown = ({ key }) => {
      if (key === 'Escape') leave();
    };
    onReady(frame);
    if (lender === 'broken') {
      page.body.replaceChildren();
      onSilent();
    }
  };
  // Some browsers fire `load` immediately; others fire it later and first clear the frame.
  frame.addEventListener('load', write, { signal });
  container.replaceChildren(frame);

  return { ...shown, reload: write, remove: () => frame.remove() };
}
