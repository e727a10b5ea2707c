//! The user's settings of Maven as a build that has the network sees them: the sources of downloads, but no password,
//! key or header. Decides which parts are left out; the caller decides whether a build gets any settings.

use roxmltree::{Document, Node};

use crate::password::without_passwords;

/// Elements about the sources of downloads, and which of them are active.
const TOLD: [&str; 6] = [
    "activeProfiles",
    "mirrors",
    "offline",
    "pluginGroups",
    "profiles",
    "proxies",
];
/// Elements that are left out everywhere. A property of any name may be a password.
const KEPT_BACK: [&str; 4] = ["configuration", "password", "properties", "username"];

/// Strips the secrets from settings; nothing where they cannot be read.
#[must_use]
pub fn without_secrets(settings: &str) -> Option<String> {
    let document = Document::parse(settings).ok()?;
    let mut text = String::from("<settings>");
    let children = document.root_element().children();
    for child in children.filter(|child| TOLD.contains(&child.tag_name().name())) {
        write(child, &mut text);
    }
    text.push_str("</settings>\n");
    Some(text)
}

fn write(node: Node<'_, '_>, text: &mut String) {
    if node.is_text() {
        let said = without_passwords(node.text().unwrap_or_default());
        let said = said.replace('&', "&amp;").replace('<', "&lt;");
        text.push_str(&said.replace('>', "&gt;"));
        return;
    }
    let name = node.tag_name().name();
    if !node.is_element() || KEPT_BACK.contains(&name) {
        return;
    }
    text.push_str(&format!("<{name}>"));
    for child in node.children() {
        write(child, text);
    }
    text.push_str(&format!("</{name}>"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_without_what_is_secret() {
        let settings = "<settings xmlns=\"http://maven.apache.org/SETTINGS/1.0.0\">
            <servers><server><id>a</id><password>secret</password></server></servers>
            <mirrors><mirror><id>a</id><url>https://ada:secret@x.y/?a&amp;b</url></mirror></mirrors><!-- secret -->
            <proxies><proxy><host>h</host><username>ada</username><password>secret</password></proxy></proxies>
            <profiles><profile><id>p</id><properties><token>secret</token></properties></profile></profiles></settings>";
        let expected = "<settings><mirrors><mirror><id>a</id><url>https://x.y/?a&amp;b</url></mirror></mirrors>\
            <proxies><proxy><host>h</host></proxy></proxies><profiles><profile><id>p</id></profile></profiles></settings>\n";
        assert_eq!(without_secrets(settings).as_deref(), Some(expected));
        assert_eq!(without_secrets("no settings"), None);
    }
}
