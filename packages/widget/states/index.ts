/*
 * Shows the selected states in the selected looks, each in a frame of the selected window width.
 * The URL contains the selection, so that it can be shared.
 */
import { languages } from '../src/texts/languages.ts';
import { addressOf, messageStates, schemes, themes, widths } from './looks.ts';
import { states } from './states.ts';

const axes = {
  state: [...Object.keys(states), ...messageStates],
  theme: [...themes],
  scheme: [...schemes],
  language: ['en', ...Object.keys(languages)],
  width: widths.map(String),
} satisfies Record<string, string[]>;
type Axis = keyof typeof axes;

const query = new URLSearchParams(location.search);

/**
 * Returns the selection of an axis. The default is all states, and the first value of every other
 * axis.
 */
function chosen(axis: Axis): string[] {
  const asked = axes[axis].filter((one) => query.getAll(axis).includes(one));
  if (asked.length > 0) return asked;
  return axis === 'state' ? axes.state : axes[axis].slice(0, 1);
}

function drawForm(form: HTMLFormElement): void {
  for (const axis of Object.keys(axes) as Axis[]) {
    const set = document.createElement('fieldset');
    const legend = document.createElement('b');
    legend.textContent = axis;
    set.append(legend);
    for (const one of axes[axis]) {
      const label = document.createElement('label');
      const box = document.createElement('input');
      const checked = query.has(axis)
        ? query.getAll(axis).includes(one)
        : chosen(axis).includes(one);
      Object.assign(box, { type: 'checkbox', name: axis, value: one, checked });
      label.append(box, one);
      set.append(label);
    }
    form.append(set);
  }
  form.addEventListener('change', () => form.requestSubmit());
}

function draw(state: string, theme: string, scheme: string, language: string, width: string) {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  caption.textContent = [theme === 'none' ? '' : theme, scheme, language, `${width} px`]
    .filter(Boolean)
    .join(' · ');
  const frame = document.createElement('iframe');
  Object.assign(frame, {
    loading: 'lazy',
    title: `${state}, ${caption.textContent}`,
    width,
    height: width === '320' ? '568' : '720',
    src: addressOf(state, { theme, scheme, language }),
  });
  figure.append(caption, frame);
  return figure;
}

const form = document.querySelector('form');
if (form) drawForm(form);
for (const state of chosen('state')) {
  const section = document.createElement('section');
  const title = document.createElement('h2');
  title.textContent = state;
  const row = document.createElement('div');
  for (const theme of chosen('theme'))
    for (const scheme of chosen('scheme'))
      for (const language of chosen('language'))
        for (const width of chosen('width'))
          row.append(draw(state, theme, scheme, language, width));
  section.append(title, row);
  document.querySelector('main')?.append(section);
}
