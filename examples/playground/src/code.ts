/** The settings that a visitor chose. */
export interface Choice {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  readonly tokens: ReadonlyMap<string, string>;
  readonly theme: string;
}

/** The widget's files for pages without a bundler, which the build puts next to this page. */
const files: Readonly<Record<string, string>> = {
  'financing-checkout': 'financing-checkout.js',
  'financing-message': 'message/financing-message.js',
  'financing-prequalify': 'prequalify/financing-prequalify.js',
};

/**
 * Returns a page to copy, with an element and its settings. It runs as is while the playground is
 * being served.
 * @param base address of the playground
 */
export function codeOf({ tag, attributes, flags, tokens, theme }: Choice, base: string): string {
  const address = (path: string) => escapeAttribute(new URL(path, base).href);
  const lines = [
    ...[...attributes].map(([name, value]) => `  ${name}="${escapeAttribute(value)}"`),
    ...[...flags].map((name) => `  ${name}`),
  ];
  const style = [...tokens].map(([name, value]) => `    ${name}: ${value};`);
  const parts = [
    '<!doctype html>\n<meta charset="utf-8" />\n<meta name="viewport" content="width=device-width" />',
    '<!-- Your shop serves these files from cdn/ and themes/ of @financing-checkout/widget. -->',
    `<script data-cfasync="false" data-no-optimize="1" data-no-defer="1" data-no-minify="1" data-cookieconsent="ignore" nowprocket type="module" src="${address(`widget/${files[tag] ?? ''}`)}"></script>`,
    ...(theme === 'none'
      ? []
      : [`<link rel="stylesheet" href="${address(`themes/${theme}.css`)}" />`]),
    ...(style.length === 0 ? [] : [`<style>\n  ${tag} {\n${style.join('\n')}\n  }\n</style>`]),
    `<${tag}${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}></${tag}>`,
  ];
  return parts.join('\n\n');
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
