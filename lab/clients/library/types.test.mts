// Programs that the types must take, and those that they must not. library.test.js compiles it.
import { check, init, normalize, type ResultLine, ToolproofError } from "@owner/toolproof";

await init();
await init({ wasm: new URL("https://example.com/toolproof.wasm") });
const set = normalize([{ name: "f" }], { target: "gemini", neverStrict: true });
export const name: string | undefined = set.tools[0]?.name;
export const wire: Record<string, unknown>[] = set.wire();
export const valid: boolean = set.restore("f", "{}", { mend: true }).valid;
const places = (line: ResultLine): string[] => line.raw?.findings?.map((finding) => finding.at) ?? [];
for (const line of check("[]", { targets: ["gemini"] }).lines) {
  console.log("summary" in line ? line.summary.tools : places(line));
}
try {
  set.wire();
} catch (error) {
  if (error instanceof ToolproofError && error.code === "bad_tools") {
    console.log(error.message);
  }
}
// @ts-expect-error check takes several targets
check([], { target: "gemini" });
// @ts-expect-error normalize needs a target
normalize([], {});
// @ts-expect-error there is no such code
export const code: ToolproofError["code"] = "other";
