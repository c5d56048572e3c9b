import type { CallDestination, CallMenu } from "../../src/model/call-menu.ts";

export function agent(name: string, eid: string, team: string | null = "Sales"): CallDestination {
  return { kind: "agent", name, eid, team, blocked: false };
}

export const desk = agent("Front Desk", "9", null);

/** A menu with these options: a key, what it is for, and its destination. */
export function menuOf(
  name: string,
  options: readonly (readonly [string, string | undefined, CallDestination])[],
  key = "desk",
): CallMenu {
  const recording = { id: "7", alias: "welcome", says: "Press a key." };
  return {
    key,
    name,
    description: "",
    recording,
    options: options.map(([key, purpose, destination]) => ({
      key,
      destination,
      ...(purpose === undefined ? {} : { for: purpose }),
    })),
    "invalid.retries": "1",
    "invalid.recording": recording,
    "invalid.destination": desk,
    "timeout.wait": "5",
    "timeout.retries": "0",
    "timeout.retry_recording": recording,
    "timeout.recording": recording,
    "timeout.destination": desk,
  };
}

/** A menu with twelve keys and names in many scripts. */
export const twelve = menuOf(
  "A menu with a rather long name that must be broken somewhere sensible",
  (
    [
      ["Sales", "Asha Rao"],
      ["बिलिंग और भुगतान संबंधी प्रश्न", "अनिल देशपांडे श्रीमती लक्ष्मीबाई"],
      ["المبيعات والاشتراكات الجديدة", "محمد عبد الرحمن الخطيب"],
      ["新規のお客様のお問い合わせ窓口はこちらです", "山田太郎・営業本部第三営業部主任"],
      ["What callers hear before they press this key, in a whole sentence", "WMWMWMWMWMWM"],
      ["🎉 Offers", "👩‍👩‍👧‍👦 Family line 🇮🇳"],
      ["", "김민준"],
      ["Operator", "Ünïcödé Ñame-Doppelname-Dreifachname"],
      ["Complaints & <b>returns</b>", "ANameWithoutAnySpaceInItThatGoesOnAndOnAndOn"],
      ["Accounts", "Asha Rao"],
      ["\u202Eturned\u0007", "<script>alert(1)</script>"],
      ["ภาษาไทย", "สมชาย ใจดี"],
    ] as const
  ).map(
    ([purpose, name], at) =>
      [
        "123456789*0#".charAt(at),
        purpose === "" ? undefined : purpose,
        agent(name, name, "Customer care, second floor"),
      ] as const,
  ),
);
