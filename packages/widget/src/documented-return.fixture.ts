/** Returns the README's code that a page needs after a redirect until the element is defined. */
export function documentedReturn(readme: string) {
  const [html = '', script = ''] =
    /<script[^>]*>([^<]*financing-session[^<]*)<\/script>/.exec(readme) ?? [];
  const [, style = ''] = /```css\n(\[data-financing-return\][^]*?)```/.exec(readme) ?? [];
  const [, hash = ''] = /`'(sha256-[\w+/=]+)'`/.exec(readme) ?? [];
  return { html, script, style, hash };
}
