import type { ElementDescription, Setting } from './manifest.ts';
import { choices, defaults, languages, schemes, themes, widths } from './presets.ts';
import { states } from './states.ts';

/** Names of the page's settings; those of the element begin with `attribute:` or `token:`. */
const pageSettings = { theme: themes, scheme: schemes, width: widths };

/** The choice that shows every state of the element. */
export const ALL = 'all states';

/** Fills the form with a control for each of an element's attributes and tokens, and for the page. */
export function drawControls(form: HTMLFormElement, element: ElementDescription): void {
  const initial = defaults[element.tag] ?? {};
  const offered = choices[element.tag] ?? {};
  const own = Object.keys(states[element.tag] ?? {});
  form.replaceChildren(
    group('Page', [
      labeled('Language', select('language', Object.keys(languages), 'en', languages)),
      ...Object.entries(pageSettings).map(([name, values]) =>
        labeled(capital(name), select(name, values, values[0])),
      ),
      labeled('State', select('state', ['', ...own, ALL], '', { '': '(as set below)' })),
    ]),
    group(
      'Attributes',
      element.attributes
        .filter(({ name }) => name !== 'locale')
        // Attributes with an initial value come first.
        .toSorted((a, b) => Number(b.name in initial) - Number(a.name in initial))
        .map((attribute) => {
          const name = `attribute:${attribute.name}`;
          const values = offered[attribute.name];
          const value = initial[attribute.name] ?? '';
          const control = attribute.isFlag
            ? checkbox(name)
            : values
              ? select(name, values, value)
              : text(name, value);
          return labeled(attribute.name, control, attribute);
        }),
    ),
    group(
      'Tokens',
      element.tokens.map((token) => labeled(token.name, text(`token:${token.name}`, ''), token)),
    ),
  );
}

function group(title: string, controls: HTMLElement[]): HTMLElement {
  const fieldset = document.createElement('fieldset');
  const legend = document.createElement('legend');
  legend.textContent = title;
  fieldset.append(legend, ...controls);
  return fieldset;
}

function labeled(title: string, control: HTMLElement, setting?: Setting): HTMLElement {
  const label = document.createElement('label');
  const name = document.createElement('span');
  name.textContent = title;
  label.append(name, control);
  if (setting?.description) label.title = setting.description.replaceAll('`', '');
  return label;
}

function text(name: string, value: string): HTMLElement {
  const input = document.createElement('input');
  Object.assign(input, { name, value, autocomplete: 'off', spellcheck: false });
  return input;
}

function checkbox(name: string): HTMLElement {
  const input = document.createElement('input');
  Object.assign(input, { name, type: 'checkbox' });
  return input;
}

function select(
  name: string,
  values: readonly string[],
  value: string | undefined,
  titles: Readonly<Record<string, string>> = {},
): HTMLElement {
  const list = document.createElement('select');
  list.name = name;
  for (const each of values) {
    list.append(
      new Option(titles[each] ?? (each || '(none)'), each, each === value, each === value),
    );
  }
  return list;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
