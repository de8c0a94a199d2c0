/** The settings that a visitor has chosen. */
export interface Choice {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly flags: ReadonlySet<string>;
  readonly tokens: ReadonlyMap<string, string>;
  readonly theme: string;
}

const entries: Readonly<Record<string, string>> = {
  'financing-checkout': 'define',
  'financing-message': 'message/define',
  'financing-prequalify': 'prequalify/define',
};

/** Returns the markup of an element as it is set, to be copied. */
export function codeOf({ tag, attributes, flags, tokens, theme }: Choice): string {
  const lines = [
    ...[...attributes].map(([name, value]) => `  ${name}="${escapeAttribute(value)}"`),
    ...[...flags].map((name) => `  ${name}`),
  ];
  const style = [...tokens].map(([name, value]) => `    ${name}: ${value};`);
  const parts = [
    `<script type="module">\n  import '@financing-checkout/widget/${entries[tag] ?? 'define'}';\n</script>`,
    ...(theme === 'none'
      ? []
      : [
          `<link rel="stylesheet" href="/node_modules/@financing-checkout/widget/themes/${theme}.css" />`,
        ]),
    ...(style.length === 0 ? [] : [`<style>\n  ${tag} {\n${style.join('\n')}\n  }\n</style>`]),
    `<${tag}${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}></${tag}>`,
  ];
  return parts.join('\n\n');
}

function escapeAttribute(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
