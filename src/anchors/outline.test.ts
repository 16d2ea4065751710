import { describe, expect, test } from 'bun:test'
import { enclosing, readDefinitions } from './outline.ts'

const namesIn = (path: string, text: string) => readDefinitions(path, text).map(({ name }) => name)
const hashOf = (path: string, text: string, name: string) =>
  readDefinitions(path, text)
    .find((one) => one.name === name)
    ?.signature().hash

describe('definitions are found', () => {
  const samples: [path: string, text: string, names: string[]][] = [
    [
      'a.ts',
      `@Injectable()\nexport class Reader<T = {}> extends Base<{ a: string }> {\n  #rest: Map<string, number> = new Map()\n  get size() { return 1 }\n  async next(): Promise<{ done: boolean }> { return /}/.test(\`\${'}'}\`) as never }\n}\nexport const run = async () => {\n  await go()\n}\ntype Shape =\n  | { kind: 'a' }\n  | { kind: 'b' }\ndescribe('reader', () => {\n  test('reads', () => {})\n})\ndeclare global { interface Window { a: 1 } }\nexports.go = function () {}\n`,
      ['Reader', 'Reader.#rest', 'Reader.size', 'Reader.next', 'run', 'Shape', 'reader', 'reader.reads', 'Window', 'exports.go'],
    ],
    ['a.tsx', "export function App() {\n  return <p>Don't {shout}</p>\n}\nconst two = 2\n", ['App', 'two']],
    [
      'a.py',
      `LIMIT = 3\n@cached\nasync def load(path: str = "x") -> None:\n    """Don't"""\n    def inner(): pass\nclass Box(Base):\n    size: int = 1\n    def open(self):\n        return '''\ndef fake():\n'''\nif True:\n    def late(): ...\n`,
      ['LIMIT', 'load', 'Box', 'Box.size', 'Box.open', 'late'],
    ],
    [
      'a.go',
      'package x\ntype Box[T any] struct { a int }\nconst (\n\tOne = 1\n\tTwo, Three = 2, 3\n)\nfunc (b *Box[T]) Open(f func() interface{}) (x interface{}, err error) {\n\treturn `}`, nil\n}\nfunc main() {}\n',
      ['Box', 'One', 'Two', 'Three', 'Box.Open', 'main'],
    ],
    [
      'a.rs',
      `#[derive(Debug)]\npub struct Box<'a>(&'a str);\nimpl<'a> fmt::Display for Box<'a> {\n    fn fmt(&self) -> char { '}' }\n}\nmacro_rules! go { () => {} }\nmod tests { fn works() { r#"}"#; } }\nconst N: [u8; 2] = [1, 2];\n`,
      ['Box', 'Display for Box', 'Display for Box.fmt', 'go', 'tests', 'tests.works', 'N'],
    ],
    [
      'A.java',
      'package a;\n@Ann("}")\npublic final class A<T> {\n  private static final Map<String, Integer> M = new HashMap<>();\n  A(int x) { }\n  @Override public <R> List<R> map(F<T, R> f) throws E { return null; }\n  enum Kind { ONE, TWO; int n() { return 1; } }\n}\n',
      ['A', 'A.M', 'A.A', 'A.map', 'A.Kind', 'A.Kind.n'],
    ],
    [
      'a.kt',
      'data class Point(val x: Int)\nclass Box : Base() {\n  val size: Int?\n    get() = 1\n  fun <T> List<T>.first(): T? = null\n  companion object { const val N = 1 }\n}\nfun String.shout() = "$' +
        '{this + "}"}"\n',
      ['Point', 'Box', 'Box.size', 'Box.first', 'Box.companion', 'Box.companion.N', 'shout'],
    ],
    [
      'a.c',
      "#define MAX(a, b) \\\n  ((a) > (b))\nstatic ATTR(1) int open_box(struct box *b) {\n#if A\n  if (b) {\n#else\n  if (!b) {\n#endif\n  }\n  return '}';\n}\nstruct box { int a; };\n",
      ['MAX', 'open_box', 'box'],
    ],
    [
      'a.cpp',
      'namespace n {\ntemplate <typename T> class Box : public Base<T> {\n public:\n  Box(int a) noexcept : a_(a), b_{1} {}\n  bool operator==(const Box& o) const { return true; }\n};\nvoid Box<int>::open() { auto s = R"x(})x"; }\n}\n',
      ['Box', 'Box.Box', 'Box.operator==', 'Box.open'],
    ],
    [
      'a.cs',
      'namespace N;\n#pragma warning disable\npublic record Point(int X);\npublic class Box<T> where T : class {\n  [Obsolete] public int Size { get; set; } = 1;\n  public string Name => $"{Size}}}";\n  public async Task<int> Open(string s = @"\\") { return 1; }\n}\n',
      ['Point', 'Box', 'Box.Size', 'Box.Name', 'Box.Open'],
    ],
    [
      'a.rb',
      `module Tool\n  LIMIT = 3\n  class Box < Base\n    def self.open(x = "#{y ? 'end' : "}"}")\n      if x then y end\n    end\n    def empty? = true\n    private def text\n      <<~END\n        def fake\n      END\n    end\n  end\nend\ndescribe 'box' do\n  it 'opens' do\n  end\nend\n`,
      ['Tool', 'Tool.LIMIT', 'Tool.Box', 'Tool.Box.open', 'Tool.Box.empty?', 'Tool.Box.text', 'box', 'box.opens'],
    ],
    [
      'a.php',
      `<p>it's</p>\n<?php\nnamespace A;\n#[Attr]\nfinal class Box {\n  const N = 1;\n  private ?int $size = null;\n  public static function open(array $a = []): ?string { return "{$a['}']}"; }\n}\nfunction go() { return <<<TXT\n}\nTXT; }\n`,
      ['Box', 'Box.N', 'Box.$size', 'Box.open', 'go'],
    ],
    [
      'a.swift',
      '@objc public class Box: Base {\n  var size: Int?\n  private(set) var name = "\\(a + "}")"\n  init?(a: Int) { }\n  class func open<T>(_ x: T) async throws -> T where T: P { x }\n}\nextension Box { func more() {} }\n',
      ['Box', 'Box.size', 'Box.name', 'Box.init', 'Box.open', 'Box', 'Box.more'],
    ],
    [
      'a.sh',
      'NAME="a"\nnvm_open() {\n  cat <<EOF\n}\nEOF\n  X="$(awk \'{ print "}" }\')"\n}\nfunction two { echo $#; }\n',
      ['NAME', 'nvm_open', 'two'],
    ],
    ['a.md', '# Top\n\ntext\n\n```sh\n# not a heading\n```\n\n## Inner ##\n\nOther\n-----\n', ['Top', 'Top › Inner', 'Top › Other']],
    ['a.json', '{ "a": { "b": [1, { "c": 2 }], "d": null } }', ['a', 'a.b', 'a.d']],
    [
      'a.yaml',
      'on:\n  push: # when\n    - main\njobs:\n  test:\n    run: |\n      key: no\n"quoted key": 1\n',
      ['on', 'on.push', 'jobs', 'jobs.test', 'jobs.test.run', 'quoted key'],
    ],
    ['a.toml', 'top = 1\n[tool.x]\na = { b = 1 }\nlist = [\n  "x",\n]\n', ['top', 'tool.x', 'tool.x.a', 'tool.x.a.b', 'tool.x.list']],
  ]
  for (const [path, text, names] of samples) test(path, () => expect(namesIn(path, text).sort()).toEqual([...names].sort()))
})

describe('a signature', () => {
  const before = "function f(a, b) {\n  return [a, 'x', b] // sum\n}\n"
  test('stays the same when only comments and layout change', () => {
    const after = 'function f(\n    a,\n    b,\n) {\n    /* sum */ return [\n        a, "x",\n        b,\n    ];\n}\n'
    expect(hashOf('a.js', after, 'f')).toBe(hashOf('a.js', before, 'f') ?? '')
  })
  test('changes with the code', () => {
    expect(hashOf('a.js', before.replace('b]', 'a]'), 'f')).not.toBe(hashOf('a.js', before, 'f') ?? '')
    expect(hashOf('a.js', before.replace("'x'", 'x'), 'f')).not.toBe(hashOf('a.js', before, 'f') ?? '')
  })
})

test('the innermost definition around a place is found', () => {
  const text = 'class A {\n  one() { here }\n  two() {}\n}\n'
  const definitions = readDefinitions('a.ts', text)
  expect(enclosing(definitions, text.indexOf('here'))?.name).toBe('A.one')
  expect(enclosing(definitions, text.indexOf('class'))?.name).toBe('A')
  expect(enclosing(definitions, text.length)).toBeNull()
})

test('hostile input takes linear time in every language', () => {
  const pieces = [
    '{',
    '}',
    '(',
    '"',
    "'",
    '`',
    '`${',
    '/',
    '#',
    '<<A\n',
    '<',
    '"${',
    '"#{',
    '"$(',
    '%w[',
    '/*',
    'def a\n',
    'a: ',
    '- ',
    '[',
    '# a\n',
    'fn f',
    'class A {',
    'R"(',
    "'a",
    'x = {',
    '\\',
    '#if\n{\n#else\n',
    'template <',
  ]
  const files = [
    'a.ts',
    'a.py',
    'a.go',
    'a.rs',
    'a.java',
    'a.kt',
    'a.cpp',
    'a.cs',
    'a.rb',
    'a.php',
    'a.swift',
    'a.sh',
    'a.md',
    'a.json',
    'a.yaml',
    'a.toml',
  ]
  for (const path of files)
    for (const piece of pieces) {
      const text = `${path === 'a.php' ? '<?php ' : ''}${piece.repeat(Math.floor(60_000 / piece.length))}`
      const started = performance.now()
      for (const one of readDefinitions(path, text).slice(0, 3)) one.signature()
      const tookMs = performance.now() - started
      expect(`${path} ${JSON.stringify(piece)} ${tookMs < 800 ? 'quick' : `${tookMs} ms`}`).toEndWith('quick')
    }
})
