import type { Plugin } from 'vite';

/** Code of Lit that no element uses, and its replacement. */
type Cut = readonly [code: string | RegExp, replacement: string];

/** The cuts by file of Lit's production build, whose local names are one letter long. */
const cuts: Readonly<Record<string, readonly Cut[]>> = {
  '/lit-html/lit-html.js': [
    // Directives: each value is rendered as it is.
    [/function M\(t,i,s=t,e\)\{.*?\}(?=class R)/, ''],
    ['t=M(this,t,i),', ''],
    ['t=M(this,t,i,0),', ''],
    ['r=M(this,e[s+n],i,n),', 'r=e[s+n],'],
    ['(t=M(this,t,i,0)??A)===E', '(t??=A)===E'],
    // Templates of SVG and MathML; an `<svg>` within HTML needs none.
    ['2===i?"<svg>":3===i?"<math>":""', '""'],
    ['+(2===i?"</svg>":3===i?"</math>":"")', ''],
    [/if\(this\.el=(.*?),2===i\|\|3===i\)\{.*?\}(?=for)/, 'this.el=$1;'],
    [
      'x=t=>(i,...s)=>({_$litType$:t,strings:i,values:s}),b=x(1),w=x(2),T=x(3)',
      'b=(i,...s)=>({_$litType$:1,strings:i,values:s})',
    ],
    ['T as mathml,', ''],
    [',w as svg', ''],
    // Expressions in a tag but outside an attribute, in comments, and in elements of raw text.
    [/class Z\{.*?\}(?=const j)/, ''],
    [':6===r.type&&(i=new Z(h,this,t))', ':0'],
    ['else t.startsWith(o)&&(d.push({type:6,index:l}),r.removeAttribute(t));', ''],
    [/else\{let t=-1;for\(;-1!==.*?\}(?=l\+\+)/, ';'],
    [/if\(y\.test\(r\.tagName\)\)\{.*?\}\}(?=else if\(8)/, '}'],
    ['(y.test(u[2])&&(n=RegExp("</"+u[2],"g")),c=p)', 'c=p'],
    [',y=/^(?:script|style|textarea|title)$/i', ''],
    // Compiled templates, polyfills, and the parts that other packages of Lit import.
    [/"number"==typeof s\?this\._\$AC\(t\):\(void 0.*?,s\)/, 'this._$AC(t)'],
    [/const j=\{.*?\},B=t\.litHtmlPolyfillSupport;B\?\.\(S,k\),/, ''],
    ['j as _$LH,', ''],
    [/\(t\.litHtmlVersions\?\?=\[\]\)\.push\("[\d.]+"\);/, ''],
    // What only directives read, such as whether a part is connected.
    [
      /get parentNode\(\)\{return this\._\$AM\.parentNode\}get _\$AU\(\)\{return this\._\$AM\._\$AU\}/,
      '',
    ],
    [/get _\$AU\(\)\{return this\._\$AM\?\._\$AU\?\?this\._\$Cv\}/, ''],
    [/get parentNode\(\)\{let t=.*?,t\}get startNode\(\)\{.*?\}get endNode\(\)\{.*?\}/, ''],
    [/get tagName\(\)\{.*?\}get _\$AU\(\)\{.*?\}/, ''],
    [',this._$Cv=e?.isConnected??!0', ''],
    [/this\._\$AN=void 0,/g, ''],
    ['for(this._$AP?.(!1,!0,s);t!==', 'for(;t!=='],
    [/setConnected\(t\)\{void 0.*?\}(?=\}class H)/, ''],
    ['const t=globalThis,i=t=>t,', 'const t=globalThis,'],
    ['const s=i(t).nextSibling;i(t).remove(),t=s', 'const s=t.nextSibling;t.remove(),t=s'],
    // Listeners that are objects with options, and rendering into another document.
    [
      'e=t===A&&s!==A||t.capture!==s.capture||t.once!==s.once||t.passive!==s.passive,h=t!==A&&(s===A||e);',
      'e=t===A&&s!==A,h=t!==A&&s===A;',
    ],
    [
      '"function"==typeof this._$AH?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)',
      'this._$AH(t)',
    ],
    ['(t?.creationScope??l)', 'l'],
  ],
  // `static styles`: the elements adopt their style sheets themselves, because a style sheet belongs
  // to one document.
  '/@lit/reactive-element/css-tag.js': [
    [
      /^[^]*$/,
      `export const adoptStyles = 0, getCompatibleStyle = 0, CSSResult = 0, css = 0, unsafeCSS = 0;
       export const supportsAdoptingStyleSheets = true;`,
    ],
  ],
  '/@lit/reactive-element/reactive-element.js': [
    // Decorators.
    [/const t=this\[Symbol\.metadata\];if.*?\}(?=this\._\$Eh)/, ''],
    ['Symbol.metadata??=Symbol("metadata"),a.litPropertyMetadata??=new WeakMap;', ''],
    [/static addInitializer\(t\)\{.*?\}(?=static)/, ''],
    [',this.constructor.l?.forEach(t=>t(this))', ''],
    [',void 0!==t.l&&(this.l=[...t.l])', ''],
    // Reactive controllers.
    [/addController\(t\)\{.*?\}removeController\(t\)\{.*?\}/, ''],
    [',this._$EO?.forEach(t=>t.hostConnected?.())', ''],
    ['this._$EO?.forEach(t=>t.hostDisconnected?.())', ''],
    ['this._$EO?.forEach(t=>t.hostUpdate?.()),', ''],
    ['this._$EO?.forEach(t=>t.hostUpdated?.()),', ''],
    // `static styles`, see above.
    ['this.elementStyles=this.finalizeStyles(this.styles)', ''],
    [/static finalizeStyles.*?return i\}/, ''],
    ['return s(t,this.constructor.elementStyles),t', 'return t'],
    // Initial values as defaults, and attributes other than texts and flags.
    ['||i.useDefault&&i.reflect&&h===this._$Ej?.get(t)&&!this.hasAttribute(r._$Eu(t,i))', ''],
    ['i&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,r??s??this[t]),!0!==h||void 0!==r)||', ''],
    ['r??this._$Ej?.get(e)??r', 'r'],
    ['this.hasUpdated||i||', 'this.hasUpdated||'],
    [
      'case Number:i=null===t?null:Number(t);break;case Object:case Array:try{i=JSON.parse(t)}catch(t){i=null}',
      '',
    ],
    ['break;case Object:case Array:t=null==t?t:JSON.stringify(t)', ''],
    // Properties for which a class has an accessor.
    [',this.prototype.hasOwnProperty(t)&&((s=Object.create(s)).wrapped=!0)', ''],
    ['!s.noAccessor', '1'],
    [
      /const\{get:e,set:r\}=h\(this\.prototype,t\)\?\?.*?;return\{get:e,set\(s\)\{const h=e\?\.call\(this\);r\?\.call\(this,s\),/,
      'return{get(){return this[s]},set(e){const h=this[s];this[s]=e,',
    ],
    [/const t=this\.constructor\.elementProperties;if\(t\.size>0\)for.*?\}(?=\}let t=!1)/, ''],
    // Converters and comparisons of single properties, and options of the shadow root.
    ['(void 0!==i.converter?.toAttribute?i.converter:u)', 'u'],
    [
      'h="function"==typeof t.converter?{fromAttribute:t.converter}:void 0!==t.converter?.fromAttribute?t.converter:u;',
      'h=u;',
    ],
    ['(i.hasChanged??f)', 'f'],
    ['b={attribute:!0,type:String,converter:u,reflect:!1,useDefault:!1,hasChanged:f}', 'b={}'],
    ['y.elementStyles=[],y.shadowRootOptions={mode:"open"},', ''],
    ['this.constructor.shadowRootOptions', '{mode:"open"}'],
    // Updates that an element schedules or waits for itself.
    [
      'const t=this.scheduleUpdate();return null!=t&&await t,!this.isUpdatePending',
      'return this.performUpdate(),!this.isUpdatePending',
    ],
    ['scheduleUpdate(){return this.performUpdate()}', ''],
    ['this.getUpdateComplete()}getUpdateComplete(){return this._$ES}', 'this._$ES}'],
    // Polyfills.
    [
      /,p\?\.\(\{ReactiveElement:y\}\),\(a\.reactiveElementVersions\?\?=\[\]\)\.push\("[\d.]+"\)/,
      '',
    ],
  ],
  '/lit-element/lit-element.js': [
    [/,s\.litElementHydrateSupport.*?(?=export)/, ';'],
    [',n as _$LE', ''],
    [',this._$Do?.setConnected(!0)', ''],
    [/disconnectedCallback\(\)\{super.*?\}/, ''],
    ['this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),', ''],
  ],
};

/** Matches what an element must not use, because the cuts remove it. */
const removed =
  /from 'lit\/|\b(svg|mathml)`|<(script|style|textarea|title)\b|\b(addController|addInitializer|useDefault|noAccessor|converter|hasChanged|shadowRootOptions|scheduleUpdate|getUpdateComplete)\b|\btype: (Number|Object|Array)\b|\bstatic .*\bstyles\b/;

/**
 * Removes the parts of Lit that no element uses, a tenth of the file that every page loads. Fails the
 * build when an element starts to use one of them, or when another version of Lit has other code.
 */
export function leanLit(): Plugin {
  return {
    name: 'lean-lit',
    enforce: 'pre',
    transform(code, id) {
      // Code for developers runs with all of Lit.
      if (/\/packages\/widget\/src\/(?!development\/)/.test(id)) {
        const [used] = removed.exec(code) ?? [];
        if (used !== undefined) {
          throw new Error(`${id} uses ${used}, which metadata/lean-lit.ts removes from Lit.`);
        }
        return null;
      }
      const [, own] = Object.entries(cuts).find(([file]) => id.endsWith(file)) ?? [];
      if (!own) return null;
      return { code: own.reduce(cut, code), map: null };
    },
  };
}

function cut(code: string, [part, replacement]: Cut): string {
  const shorter = code.replace(part, replacement);
  if (shorter === code) {
    throw new Error(`Lit no longer contains ${String(part)}: adapt metadata/lean-lit.ts.`);
  }
  return shorter;
}
